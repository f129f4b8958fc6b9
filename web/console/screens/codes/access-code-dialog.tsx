import { etagOf } from '../../../../client/src/index.ts';
import type { CodesMessages } from '../../../messages/console/codes.en.ts';
import { fill } from '../../../messages/fill.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { useToast } from '../../app/toasts.tsx';
import { useData } from '../../app/use-data.ts';
import { useEvent } from '../../app/use-event.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { DateTimeField, NumberField, TextField } from '../../parts/fields.tsx';
import { Form } from '../../parts/form.tsx';
import { Show } from '../../parts/show.tsx';
import type { AccessCode, Item } from './access-code-list.tsx';
import { ItemsField } from './items-field.tsx';

export interface CodeDialogProps {
  items: readonly Item[];
  onClose: () => void;
  reload: () => Promise<void>;
}

interface Values {
  passkey: string;
  start: string | null;
  finish: string | null;
  limit: number | null;
  itemIds: number[];
}

/** A new code, or a code to change. */
export function AccessCodeDialog({ code, ...props }: CodeDialogProps & { code: AccessCode | null }) {
  const { access: t } = useMessages<CodesMessages>();
  return (
    <Dialog title={code ? t.form.edit : t.form.new} shape="side" onClose={props.onClose}>
      {code ? <EditForm id={code.id} {...props} /> : <NewForm {...props} />}
    </Dialog>
  );
}

/** The batch creates the code together with its tickets, or nothing. */
function NewForm({ items, onClose, reload }: CodeDialogProps) {
  const { client } = useConsole();
  const { event } = useEvent();
  const { access: t } = useMessages<CodesMessages>();
  const toast = useToast();
  const submit = async ({ passkey, ...terms }: Values) => {
    await client.passkeys.createBatch({ eventId: event.id, codes: [passkey], ...terms });
    toast(fill(t.form.created, { code: passkey }));
  };
  return (
    <Form<Values>
      draft={`new-access-code-${event.id}`}
      initial={{
        passkey: '',
        start: null,
        finish: null,
        limit: null,
        itemIds: items
          .filter(({ hidden, archived }) => hidden && !archived)
          .map(({ id }) => id)
          .slice(0, 1),
      }}
      submit={({ values }) => submit(values)}
      onDone={() => {
        onClose();
        void reload();
      }}
      action={t.form.create}
    >
      <Fields items={items} />
    </Form>
  );
}

const valuesOf = ({ passkey, start, finish, limit, itemIds }: AccessCode): Values => ({ passkey, start, finish, limit, itemIds });

function EditForm({ id, items, onClose, reload }: CodeDialogProps & { id: number }) {
  const { client, t: frame } = useConsole();
  const toast = useToast();
  const loaded = useData((signal) => client.passkeys.get({ id }, { signal }), [id]);
  const save = async ({ itemIds, ...changed }: Partial<Values>, version: string | undefined) => {
    let current = version;
    if (Object.keys(changed).length > 0)
      current = etagOf(await client.passkeys.update({ id, ...changed }, { ...(current && { ifMatch: current }) }));
    if (itemIds) await client.passkeys.setItems({ id, itemIds }, { ...(current && { ifMatch: current }) });
  };
  return (
    <Show of={loaded}>
      {(code) => (
        <Form<Values>
          initial={valuesOf(code)}
          version={etagOf(code)}
          reread={async () => {
            const fresh = await client.passkeys.get({ id });
            return { values: valuesOf(fresh), version: etagOf(fresh) };
          }}
          submit={({ changed, version }) => save(changed, version)}
          onDone={() => {
            toast(frame.saved);
            onClose();
            void reload();
          }}
          action={frame.save}
        >
          <Fields items={items} />
        </Form>
      )}
    </Show>
  );
}

function Fields({ items }: Pick<CodeDialogProps, 'items'>) {
  const { access: t } = useMessages<CodesMessages>();
  return (
    <>
      <TextField
        name="passkey"
        label={t.form.code}
        hint={t.form.codeHint}
        minLength={3}
        maxLength={64}
        autocomplete="off"
        required
        autofocus
      />
      <ItemsField items={items} />
      <NumberField name="limit" label={t.form.limit} hint={t.form.limitHint} min={1} max={100_000_000} />
      <div class="columns">
        <DateTimeField name="start" label={t.form.start} />
        <DateTimeField name="finish" label={t.form.finish} />
      </div>
    </>
  );
}
