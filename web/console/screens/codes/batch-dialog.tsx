import { useState } from 'preact/hooks';
import { type AnswerOf, isProblem } from '../../../../client/src/index.ts';
import type { CodesMessages } from '../../../messages/console/codes.en.ts';
import { plural } from '../../../messages/fill.ts';
import { Notice } from '../../../ui/notice.tsx';
import { useConsole, useMessages } from '../../app/console.ts';
import { useEvent } from '../../app/use-event.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { DateTimeField, NumberField, TextArea } from '../../parts/fields.tsx';
import { Form } from '../../parts/form.tsx';
import { saveCsv } from '../../parts/save-csv.ts';
import type { CodeDialogProps } from './access-code-dialog.tsx';
import { ItemsField } from './items-field.tsx';

interface Values {
  generate: number | null;
  codes: string | null;
  limit: number | null;
  start: string | null;
  finish: string | null;
  itemIds: number[];
}

type Batch = AnswerOf<'createPasskeyBatch'>;

const shownCodes = 200;

/** Creates random codes or the producer's own, all or none, and shows them. */
export function BatchDialog({ items, onClose, reload }: CodeDialogProps) {
  const { client, locale } = useConsole();
  const { event } = useEvent();
  const { access: t } = useMessages<CodesMessages>();
  const [batch, setBatch] = useState<Batch | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const submit = async ({ generate, codes, ...terms }: Values) => {
    const own = [...new Set((codes ?? '').split('\n').map((line) => line.trim()))].filter(Boolean);
    setFailure(own.length === 0 && generate === null ? t.many.empty : null);
    if (own.length === 0 && generate === null) return;
    try {
      const what = own.length > 0 ? { codes: own } : { generate: generate ?? 1 };
      setBatch(await client.passkeys.createBatch({ eventId: event.id, ...what, ...terms }));
      await reload();
    } catch (error) {
      if (!isProblem(error, 'already_exists')) throw error;
      const { count, clashes } = error.body as { count: number; clashes: string[] };
      setFailure(plural(locale, t.many.clashes, count, { codes: clashes.slice(0, 20).join(', ') }));
    }
  };
  return (
    <Dialog title={t.many.title} shape="side" onClose={onClose}>
      {batch ? (
        <Created batch={batch} onClose={onClose} />
      ) : (
        <Form<Values>
          initial={{
            generate: 50,
            codes: null,
            limit: 1,
            start: null,
            finish: null,
            itemIds: items
              .filter(({ hidden, archived }) => hidden && !archived)
              .map(({ id }) => id)
              .slice(0, 1),
          }}
          submit={({ values }) => submit(values)}
          action={t.many.submit}
        >
          <NumberField name="generate" label={t.many.generate} min={1} max={100_000} />
          <TextArea name="codes" label={t.many.own} hint={t.many.ownHint} rows={4} />
          <ItemsField items={items} />
          <NumberField name="limit" label={t.many.limit} hint={t.form.limitHint} min={1} max={100_000_000} />
          <div class="columns">
            <DateTimeField name="start" label={t.form.start} />
            <DateTimeField name="finish" label={t.form.finish} />
          </div>
          {failure !== null && (
            <Notice tone="bad" alert>
              <p>{failure}</p>
            </Notice>
          )}
        </Form>
      )}
    </Dialog>
  );
}

function Created({ batch: { created, data }, onClose }: { batch: Batch; onClose: () => void }) {
  const { locale } = useConsole();
  const { event } = useEvent();
  const { access: t } = useMessages<CodesMessages>();
  const save = () => saveCsv(`access-codes-${event.id}.csv`, [['passkey'], ...data.map(({ passkey }) => [passkey])]);
  return (
    <div class="stack">
      <Notice tone="ok" alert>
        <p>{plural(locale, t.many.done, created)}</p>
      </Notice>
      <div class="actions">
        <button type="button" class="button" onClick={save}>
          {t.many.save}
        </button>
        <button type="button" class="button plain" onClick={onClose}>
          {t.many.close}
        </button>
      </div>
      <ul class="codes">
        {data.slice(0, shownCodes).map(({ id, passkey }) => (
          <li key={id}>{passkey}</li>
        ))}
      </ul>
    </div>
  );
}
