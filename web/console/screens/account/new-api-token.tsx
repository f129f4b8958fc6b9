import { useState } from 'preact/hooks';
import { type Permission, permissions } from '../../../../src/kernel/access.ts';
import type { AccountMessages } from '../../../messages/console/account.en.ts';
import { fill } from '../../../messages/fill.ts';
import { Icon } from '../../../ui/icon.tsx';
import * as icons from '../../../ui/icons.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { EventPicker } from '../../parts/event-picker.tsx';
import { CheckboxField, TextField, useField } from '../../parts/fields.tsx';
import { Form } from '../../parts/form.tsx';

type Values = { name: string; expiresAt: string | null } & Partial<Record<Permission, boolean>>;

const dayMs = 86_400_000;
const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

interface NewApiTokenProps {
  onClose: () => void;
  onCreated: (token: string) => void;
}

export function NewApiToken({ onClose, onCreated }: NewApiTokenProps) {
  const { client } = useConsole();
  const t = useMessages<AccountMessages>();
  const [events, setEvents] = useState<{ id: number; title: string }[]>([]);
  const [isPicking, setPicking] = useState(false);
  const create = async ({ name, expiresAt, ...chosen }: Values) => {
    const { token } = await client.apiTokens.create({
      name,
      permissions: permissions.filter((permission) => chosen[permission]),
      ...(events.length > 0 && { eventIds: events.map(({ id }) => id) }),
      ...(expiresAt && { expiresAt: new Date(`${expiresAt}T00:00`).toISOString() }),
    });
    onCreated(token);
  };
  return (
    <Dialog title={t.tokens.create} shape="wide" onClose={onClose}>
      <Form<Values>
        initial={{ name: '', expiresAt: null }}
        submit={({ values }) => create(values)}
        action={t.tokens.create}
        draft="new-api-token"
      >
        <TextField name="name" label={t.tokens.name} hint={t.tokens.nameHint} maxLength={100} required />
        <PermissionChoice />
        <fieldset class="stack">
          <legend>
            <b>{t.tokens.events}</b>
          </legend>
          {events.length === 0 && <p class="soft">{t.tokens.allEvents}</p>}
          <ul class="rows">
            {events.map(({ id, title }) => (
              <li key={id}>
                <span>{title}</span>
                <button
                  type="button"
                  class="text-button"
                  aria-label={fill(t.tokens.removeEvent, { title })}
                  onClick={() => setEvents(events.filter((event) => event.id !== id))}
                >
                  {t.tokens.remove}
                </button>
              </li>
            ))}
          </ul>
          <button type="button" class="button plain row-add" onClick={() => setPicking(true)}>
            <Icon path={icons.plus} size={18} />
            {t.tokens.addEvent}
          </button>
        </fieldset>
        <TextField
          name="expiresAt"
          label={t.tokens.expires}
          hint={t.tokens.expiresHint}
          type="date"
          min={dayOf(Date.now() + dayMs)}
          max={dayOf(Date.now() + 365 * dayMs)}
        />
      </Form>
      {isPicking && (
        <EventPicker
          title={t.tokens.addEvent}
          labels={t.tokens.picker}
          without={events.map(({ id }) => id)}
          onClose={() => setPicking(false)}
          onPick={({ id, title }) => {
            setEvents([...events, { id, title }]);
            setPicking(false);
          }}
        />
      )}
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
