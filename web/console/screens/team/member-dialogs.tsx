import { type CrewRole, crewRoles } from '../../../../src/kernel/access.ts';
import type { TeamMessages } from '../../../messages/console/team.en.ts';
import { fill } from '../../../messages/fill.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { useToast } from '../../app/toasts.tsx';
import { useEvent } from '../../app/use-event.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField, useField } from '../../parts/fields.tsx';
import { Form } from '../../parts/form.tsx';
import { InvalidField } from '../../parts/form-state.ts';
import type { Member } from './team.tsx';

interface DialogProps {
  onClose: () => void;
  onDone: () => void;
}

export function AddDialog({ onClose, onDone }: DialogProps) {
  const { client } = useConsole();
  const { event } = useEvent();
  const t = useMessages<TeamMessages>();
  const toast = useToast();
  type Values = { email: string; name: string | null; role: CrewRole | '' };
  const submit = async ({ email, name, role }: Values) => {
    if (role === '') return;
    await client.crew.add({ id: event.id, email, role, ...(name && { name }) });
    toast(fill(t.dialog.added, { name: name ?? email }));
  };
  return (
    <Dialog title={t.dialog.add} shape="side" onClose={onClose}>
      <Form<Values>
        draft={`new-crew-${event.id}`}
        initial={{ email: '', name: null, role: '' }}
        submit={({ values }) => submit(values)}
        onDone={onDone}
        action={t.dialog.submitAdd}
      >
        <TextField
          name="email"
          type="email"
          label={t.dialog.email}
          hint={t.dialog.emailHint}
          maxLength={254}
          autocomplete="off"
          required
          autofocus
        />
        <TextField name="name" label={t.dialog.name} maxLength={200} autocomplete="off" />
        <RoleField />
      </Form>
    </Dialog>
  );
}

export function RoleDialog({ member: { user, role }, onClose, onDone }: DialogProps & { member: Member }) {
  const { client, reloadMe, me } = useConsole();
  const { event } = useEvent();
  const t = useMessages<TeamMessages>();
  const toast = useToast();
  const submit = async (chosen: CrewRole) => {
    await client.crew.update({ id: event.id, userId: user.id, role: chosen });
    toast(fill(t.dialog.changed, { name: user.name, role: t.roles[chosen].name }));
    if (user.id === me?.id) await reloadMe();
  };
  return (
    <Dialog title={fill(t.dialog.change, { name: user.name })} shape="side" onClose={onClose}>
      <Form initial={{ role }} submit={({ values }) => submit(values.role)} onDone={onDone} action={t.dialog.submitChange}>
        <RoleField />
      </Form>
    </Dialog>
  );
}

/** The roles with what they may do. */
function RoleField() {
  const t = useMessages<TeamMessages>();
  const { id, raw, error, set } = useField('role', {
    label: t.dialog.role,
    format: String,
    parse: (value) => {
      // No role is chosen at first, so that nobody gets one by mistake.
      if (value === '') throw new InvalidField(t.dialog.noRole);
      return value;
    },
    describe: (value) => t.roles[value as CrewRole]?.name ?? '–',
  });
  return (
    <fieldset class="team-choices" {...(error && { 'aria-describedby': `${id}-error` })}>
      <legend>{t.dialog.role}</legend>
      {error && (
        <p id={`${id}-error`} class="field-error" role="alert">
          {error}
        </p>
      )}
      {crewRoles.map((role) => (
        <label key={role} class="version">
          <input
            type="radio"
            name="role"
            value={role}
            checked={raw === role}
            {...(error && { 'aria-invalid': true })}
            onChange={() => set(role)}
          />
          <span>
            <b>{t.roles[role].name}</b>
            <span class="soft small">{t.roles[role].text}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
