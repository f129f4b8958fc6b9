import { type Permission, permissions } from '../../../../src/kernel/access.ts';
import type { AccountMessages } from '../../../messages/console/account.en.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { CheckboxField, TextField, useField } from '../../parts/fields.tsx';
import { Form } from '../../parts/form.tsx';

type Values = { name: string; eventIds: string | null; expiresAt: string | null } & Partial<Record<Permission, boolean>>;

const dayMs = 86_400_000;
const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

interface NewApiTokenProps {
  onClose: () => void;
  onCreated: (token: string) => void;
}

export function NewApiToken({ onClose, onCreated }: NewApiTokenProps) {
  const { client } = useConsole();
  const t = useMessages<AccountMessages>();
  const create = async ({ name, eventIds, expiresAt, ...chosen }: Values) => {
    const { token } = await client.apiTokens.create({
      name,
      permissions: permissions.filter((permission) => chosen[permission]),
      ...(eventIds && { eventIds: eventIds.split(',').map(Number) }),
      ...(expiresAt && { expiresAt: new Date(`${expiresAt}T00:00`).toISOString() }),
    });
    onCreated(token);
  };
  return (
    <Dialog title={t.tokens.create} shape="wide" onClose={onClose}>
      <Form<Values>
        initial={{ name: '', eventIds: null, expiresAt: null }}
        submit={({ values }) => create(values)}
        action={t.tokens.create}
        draft="new-api-token"
      >
        <TextField name="name" label={t.tokens.name} hint={t.tokens.nameHint} maxLength={100} required />
        <PermissionChoice />
        <TextField
          name="eventIds"
          label={t.tokens.eventIds}
          hint={t.tokens.eventIdsHint}
          pattern=" *[0-9]+( *, *[0-9]+)* *"
          inputMode="numeric"
        />
        <TextField
          name="expiresAt"
          label={t.tokens.expires}
          hint={t.tokens.expiresHint}
          type="date"
          min={dayOf(Date.now() + dayMs)}
          max={dayOf(Date.now() + 365 * dayMs)}
        />
      </Form>
    </Dialog>
  );
}

/** A box for each permission that the user has somewhere. */
function PermissionChoice() {
  const { can, me } = useConsole();
  const t = useMessages<AccountMessages>();
  const offered = permissions.filter((permission) => can(permission) || me?.events.some(({ id }) => can(permission, { eventId: id })));
  // The API names the list, not its boxes. So the list is a field of its own, without a control.
  const { error } = useField('permissions', { label: t.tokens.permissions, format: () => '', parse: () => undefined });
  return (
    <fieldset class="stack" aria-describedby={error ? 'permissions-error' : undefined}>
      <legend>
        <b>{t.tokens.permissions}</b>
      </legend>
      {error && (
        <p id="permissions-error" class="field-error" role="alert">
          {t.tokens.choosePermission}
        </p>
      )}
      <div class="columns tight">
        {offered.map((permission) => (
          <CheckboxField key={permission} name={permission} label={t.permissions[permission]} />
        ))}
      </div>
    </fieldset>
  );
}
