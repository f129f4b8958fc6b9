import { useState } from 'preact/hooks';
import { useConsole } from '../app/console.ts';
import { Dialog } from './dialog.tsx';
import { type FieldKind, type FormContext, type Raw, type Raws, rawOf } from './form-state.ts';

interface StaleDialogProps {
  form: Pick<FormContext, 'initial' | 'edits'>;
  kinds: ReadonlyMap<string, FieldKind>;
  /** The values that somebody else has saved in the meantime. */
  theirs: Readonly<Record<string, unknown>>;
  /** Called with the fields in which the reader's own value is kept. */
  onChoose: (edits: Raws) => void;
  onClose: () => void;
}

interface Difference {
  name: string;
  kind: FieldKind;
  mine: Raw;
  theirs: Raw;
}

/** Shows both versions of a form, field by field, after a save was refused with 412. */
export function StaleDialog({ form, kinds, theirs, onChoose, onClose }: StaleDialogProps) {
  const { t } = useConsole();
  const differences = [...kinds]
    .map(([name, kind]): Difference => ({ name, kind, mine: rawOf(form, name, kind), theirs: kind.format(theirs[name]) }))
    .filter((field) => field.mine !== field.theirs);
  // What the reader has typed is the default. What only the other person has changed is taken over.
  const [kept, setKept] = useState(() => new Set(differences.filter(({ name }) => name in form.edits).map(({ name }) => name)));
  const words = (kind: FieldKind, raw: Raw) => kind.describe?.(raw) ?? (typeof raw === 'boolean' ? (raw ? t.yes : t.no) : raw || '–');
  const keep = (name: string, isMine: boolean) => {
    const next = new Set(kept);
    if (isMine) next.add(name);
    else next.delete(name);
    setKept(next);
  };
  const submit = (event: Event) => {
    event.preventDefault();
    onChoose(Object.fromEntries(differences.filter(({ name }) => kept.has(name)).map(({ name, mine }) => [name, mine])));
  };
  return (
    <Dialog title={t.stale.title} shape="wide" onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        <p>{t.stale.text}</p>
        {differences.map(({ name, kind, mine, theirs: other }) => (
          <fieldset key={name} class="versions">
            <legend>{kind.label}</legend>
            {([true, false] as const).map((isMine) => (
              <label key={String(isMine)} class="version">
                <input type="radio" name={`version-${name}`} checked={kept.has(name) === isMine} onChange={() => keep(name, isMine)} />
                <span>
                  <b>{isMine ? t.stale.mine : t.stale.theirs}</b>
                  <span class="plain-text">{words(kind, isMine ? mine : other)}</span>
                </span>
              </label>
            ))}
          </fieldset>
        ))}
        <div class="actions">
          <button type="submit" class="button">
            {t.stale.save}
          </button>
          <button type="button" class="button plain" onClick={onClose}>
            {t.stale.back}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
