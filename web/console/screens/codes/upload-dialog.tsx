import { useState } from 'preact/hooks';
import { type AnswerOf, isProblem, type Progress as UploadProgress } from '../../../../client/src/index.ts';
import type { CodesMessages } from '../../../messages/console/codes.en.ts';
import { fill, plural } from '../../../messages/fill.ts';
import { Field } from '../../../ui/field.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { useConsole, useMessages } from '../../app/console.ts';
import { useToast } from '../../app/toasts.tsx';
import { useEvent } from '../../app/use-event.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { newKey } from '../../parts/new-key.ts';
import { Progress } from '../../parts/progress.tsx';
import { saveCsv } from '../../parts/save-csv.ts';
import { errorText } from '../../parts/show.tsx';

type Import = AnswerOf<'importCodes'>;

/** What the API says about lines that it refuses. */
interface Refused {
  exists: boolean;
  total: number;
  rows: { line: number; field: string; message: string }[];
}

type State =
  | { kind: 'choosing'; failure: string | null }
  | { kind: 'sending'; isDryRun: boolean; progress: UploadProgress | null }
  | { kind: 'checked'; result: Import }
  | { kind: 'refused'; refused: Refused };

interface UploadDialogProps {
  onClose: () => void;
  reload: () => Promise<void>;
}

/** A file is checked first. It is imported when the reader has seen the result, all lines or none. */
export function UploadDialog({ onClose, reload }: UploadDialogProps) {
  const { client, t: frame, locale } = useConsole();
  const { event } = useEvent();
  const { imported: words } = useMessages<CodesMessages>();
  const { uploading: t } = words;
  const toast = useToast();
  const [file, setFile] = useState<File | null>(null);
  const [createItems, setCreateItems] = useState(false);
  const [state, setState] = useState<State>({ kind: 'choosing', failure: null });
  const [key, setKey] = useState(newKey);

  const send = async (isDryRun: boolean) => {
    if (!file) return;
    setState({ kind: 'sending', isDryRun, progress: null });
    try {
      const onProgress = (progress: UploadProgress) => setState({ kind: 'sending', isDryRun, progress });
      const options = { onProgress, ...(!isDryRun && { idempotencyKey: key }) };
      const result = await client.codes.upload({ eventId: event.id, file, dryRun: isDryRun, createItems }, options);
      if (isDryRun) return setState({ kind: 'checked', result });
      toast(plural(locale, t.imported, result.imported));
      onClose();
      await reload();
    } catch (error) {
      if (!isProblem(error, 'codes_rejected', 'already_exists')) return setState({ kind: 'choosing', failure: errorText(frame, error) });
      const refused = error.body as unknown as Omit<Refused, 'exists'>;
      setState({ kind: 'refused', refused: { ...refused, exists: error.code === 'already_exists' } });
    }
  };
  const restart = () => {
    setFile(null);
    setKey(newKey());
    setState({ kind: 'choosing', failure: null });
  };
  return (
    <Dialog title={t.title} shape="wide" onClose={onClose}>
      {/* The form stays while the file is sent. A browser forgets the file of a field that is removed. */}
      {(state.kind === 'choosing' || state.kind === 'sending') && (
        <form
          class="stack"
          hidden={state.kind === 'sending'}
          onSubmit={(submitted) => {
            submitted.preventDefault();
            void send(true);
          }}
        >
          <p>{t.text}</p>
          <Field id="codes-file" label={t.file}>
            {(attributes) => (
              <input
                class="input codes-file"
                type="file"
                accept=".csv,text/csv"
                required
                onChange={(chosen) => setFile(chosen.currentTarget.files?.[0] ?? null)}
                {...attributes}
              />
            )}
          </Field>
          <label class="check">
            <input type="checkbox" checked={createItems} onChange={() => setCreateItems(!createItems)} />
            {t.create}
          </label>
          {state.kind === 'choosing' && state.failure !== null && (
            <Notice tone="bad" alert>
              <p>{state.failure}</p>
            </Notice>
          )}
          <div class="actions">
            <button type="submit" class="button" disabled={!file}>
              {t.check}
            </button>
            <button type="button" class="button plain" onClick={saveSample}>
              {t.sample}
            </button>
          </div>
        </form>
      )}
      {state.kind === 'sending' && (
        <Progress
          label={fill(state.isDryRun ? t.checking : t.importing, { name: file?.name ?? '' })}
          value={state.progress?.sent ?? 0}
          of={state.progress?.total ?? 1}
        />
      )}
      {state.kind === 'checked' && <Checked result={state.result} onImport={() => void send(false)} onRestart={restart} />}
      {state.kind === 'refused' && <RefusedLines refused={state.refused} onRestart={restart} />}
    </Dialog>
  );
}

const saveSample = () =>
  saveCsv('codes.csv', [
    ['code', 'item', 'name', 'document'],
    ['PARTNER-0001', 'Sold by partners', 'Ana Souza', '123.456.789-09'],
    ['PARTNER-0002', 'Sold by partners', '', ''],
  ]);

interface CheckedProps {
  result: Import;
  onImport: () => void;
  onRestart: () => void;
}

function Checked({ result: { imported, items }, onImport, onRestart }: CheckedProps) {
  const { locale } = useConsole();
  const { imported: words } = useMessages<CodesMessages>();
  const { uploading: t } = words;
  return (
    <div class="stack">
      <Notice tone="ok" alert>
        <p>{plural(locale, t.fine, imported)}</p>
      </Notice>
      <ul class="codes-counts">
        {items.map(({ itemId, name, imported: count }) => (
          <li key={name}>
            <span>
              {name} {itemId === null && <span class="pill brand">{t.newItem}</span>}
            </span>
            <b>{new Intl.NumberFormat(locale).format(count)}</b>
          </li>
        ))}
      </ul>
      <div class="actions">
        <button type="button" class="button" onClick={onImport}>
          {plural(locale, t.import, imported)}
        </button>
        <button type="button" class="button plain" onClick={onRestart}>
          {t.again}
        </button>
      </div>
    </div>
  );
}

function RefusedLines({ refused: { exists, total, rows }, onRestart }: { refused: Refused; onRestart: () => void }) {
  const { locale } = useConsole();
  const { imported: words } = useMessages<CodesMessages>();
  const { uploading: t } = words;
  return (
    <div class="stack">
      <Notice tone="bad" alert>
        <p>{plural(locale, exists ? t.exists : t.bad, total)}</p>
        {rows.length < total && <p>{fill(t.first, { count: rows.length })}</p>}
      </Notice>
      <div class="actions">
        <button type="button" class="button" onClick={onRestart}>
          {t.again}
        </button>
      </div>
      <table class="table" role="table">
        <thead role="rowgroup">
          <tr role="row">
            {[t.line, t.field, t.reason].map((label) => (
              <th key={label} scope="col" role="columnheader">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map(({ line, field, message }, index) => (
            <tr key={index} role="row">
              <td role="cell" data-label={t.line}>
                {line}
              </td>
              <td role="cell" data-label={t.field}>
                {field}
              </td>
              <td role="cell" data-label={t.reason}>
                {message}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
