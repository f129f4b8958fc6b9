import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { isProblem } from '../../../client/src/index.ts';
import { Notice } from '../../ui/notice.tsx';
import { useConsole } from '../app/console.ts';
import { assignErrors, constraintText, type FormErrors } from './form-errors.ts';
import { type FieldKind, FormValue, InvalidField, type Raws, rawOf, readDraft, StaleVersion, writeDraft } from './form-state.ts';
import { errorText } from './show.tsx';
import { StaleDialog } from './stale-dialog.tsx';

interface Submitted<V> {
  values: V;
  /** Only the fields that the reader has changed. */
  changed: Partial<V>;
  /** For `ifMatch`. After a conflict it is the version that the reader has seen. */
  version: string | undefined;
}

interface FormProps<V> {
  /** The values by the names of the fields. Use the names of the API, such as `venue.city`: its errors are then shown at their fields. */
  initial: V;
  /** Sends the values. What it throws is shown in the form, and the form keeps what was typed. */
  submit: (submitted: Submitted<V>) => Promise<unknown>;
  /** The label of the button. */
  action: string;
  /** Keeps what was typed until it is saved, even after a reload. The name must be unique: `event-12`. Never for passwords. */
  draft?: string;
  version?: string | undefined;
  /** Reads the values again after a 412, for the dialog with both versions. */
  reread?: () => Promise<{ values: V; version: string | undefined }>;
  /** Called after a successful submit, for example to close the dialog. */
  onDone?: () => void;
  /** Beside the button. */
  actions?: ComponentChildren;
  danger?: boolean;
  children: ComponentChildren;
}

interface Base<V> {
  values: V;
  version: string | undefined;
}

const none: FormErrors = { byField: {}, others: [] };

/** A form with its fields, its errors, and its state while it is sent. See `fields.tsx` for the fields. */
export function Form<V extends object>(props: FormProps<V>) {
  const { submit, action, draft, reread, onDone, actions, danger, children } = props;
  const { t } = useConsole();
  const id = useId();
  const form = useRef<HTMLFormElement>(null);
  const kinds = useRef(new Map<string, FieldKind>()).current;
  const [edits, setEdits] = useState<Raws>(() => readDraft(draft));
  const [errors, setErrors] = useState(none);
  const [failure, setFailure] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [rebased, setRebased] = useState<Base<V> | null>(null);
  const [stale, setStale] = useState<Base<V> | null>(null);
  const base = rebased ?? { values: props.initial, version: props.version };
  const initial = base.values as Record<string, unknown>;

  useEffect(() => form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus(), [errors]);

  const change = (next: Raws) => {
    setEdits(next);
    writeDraft(draft, next);
  };

  /** Reads all fields that are shown. Returns null after it has shown what is invalid. */
  function readValues(from: Raws): { values: V; changed: Partial<V> } | null {
    const byField: Record<string, string> = {};
    const values: Record<string, unknown> = {};
    const changed: Record<string, unknown> = {};
    for (const [name, kind] of kinds) {
      const control = form.current?.elements.namedItem(name);
      const text = control && 'validity' in control ? constraintText(t, control as HTMLInputElement) : null;
      try {
        values[name] = kind.parse(rawOf({ edits: from, initial }, name, kind));
        if (text !== null) byField[name] = text;
        if (name in from && from[name] !== kind.format(initial[name])) changed[name] = values[name];
      } catch (error) {
        if (!(error instanceof InvalidField)) throw error;
        byField[name] = text ?? error.message;
      }
    }
    setErrors({ byField, others: [] });
    return Object.keys(byField).length > 0 ? null : { values: { ...initial, ...values } as V, changed: changed as Partial<V> };
  }

  async function send(from: Raws, version: string | undefined): Promise<void> {
    const read = readValues(from);
    setFailure(null);
    if (!read || isBusy) return;
    setBusy(true);
    try {
      await submit({ ...read, version });
      change({});
      setRebased(null);
      onDone?.();
    } catch (error) {
      if ((isProblem(error, 'stale_version') || error instanceof StaleVersion) && reread) setStale(await reread());
      else showError(error);
    } finally {
      setBusy(false);
    }
  }

  function showError(error: unknown): void {
    if (isProblem(error) && error.errors.length > 0) {
      const assigned = assignErrors(error.errors, kinds);
      setErrors(assigned);
      if (Object.keys(assigned.byField).length > 0) return;
    }
    setFailure(errorText(t, error));
  }

  const chosen = (next: Raws) => {
    if (!stale) return;
    change(next);
    setRebased(stale);
    setStale(null);
    // The next render has the new version and the fields that the reader has chosen.
    setTimeout(() => form.current?.requestSubmit(), 0);
  };

  const context = {
    id,
    initial,
    edits,
    errors: errors.byField,
    kinds,
    set: (name: string, raw: string | boolean) => change({ ...edits, [name]: raw }),
  };
  return (
    <FormValue.Provider value={context}>
      <form
        ref={form}
        class="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void send(edits, base.version);
        }}
      >
        {children}
        {(failure !== null || errors.others.length > 0) && (
          <Notice tone="bad" alert>
            {failure !== null && <p>{failure}</p>}
            {errors.others.map((text) => (
              <p key={text}>{text}</p>
            ))}
          </Notice>
        )}
        <div class="actions">
          <button type="submit" class={`button ${danger ? 'danger' : ''}`} aria-busy={isBusy} disabled={isBusy}>
            {action}
          </button>
          {actions}
        </div>
      </form>
      {stale && (
        <StaleDialog
          form={context}
          kinds={kinds}
          theirs={stale.values as Record<string, unknown>}
          onChoose={chosen}
          onClose={() => setStale(null)}
        />
      )}
    </FormValue.Provider>
  );
}
