import { useState } from 'preact/hooks';
import type { AnswerOf } from '../../../../client/src/index.ts';
import type { ProducersMessages } from '../../../messages/console/producers.en.ts';
import { fill, plural } from '../../../messages/fill.ts';
import { Icon } from '../../../ui/icon.tsx';
import * as icons from '../../../ui/icons.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { useToast } from '../../app/toasts.tsx';
import { usePages } from '../../app/use-data.ts';
import { useConfirm } from '../../parts/confirm.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { SelectField, TextField } from '../../parts/fields.tsx';
import { Form } from '../../parts/form.tsx';
import { errorText, Show } from '../../parts/show.tsx';
import type { Producer } from './producer-detail.tsx';

type Member = AnswerOf<'listMembers'>['data'][number];
type Role = Member['role'];
const roles: readonly Role[] = ['owner', 'manager'];

/** The owners and managers of a producer. */
export function Members({ producer }: { producer: Producer }) {
  const { client, t: frame, locale, can } = useConsole();
  const t = useMessages<ProducersMessages>();
  const toast = useToast();
  const confirm = useConfirm();
  const [isAdding, setAdding] = useState(false);
  const { id } = producer;
  const members = usePages(
    (cursor, signal) => client.producers.members.list({ id, pageSize: 100, ...(cursor && { cursor }) }, { ...(signal && { signal }) }),
    [id],
  );
  const canManage = can('members.manage', { producerId: id });
  const attempt = async (work: () => Promise<unknown>) => {
    try {
      await work();
    } catch (error) {
      toast(errorText(frame, error), { tone: 'bad' });
    }
    await members.reload();
  };
  const setRole = (userId: number, role: Role) =>
    attempt(async () => {
      await client.producers.members.update({ id, userId, role });
      toast(frame.saved);
    });
  const remove = ({ user, role }: Member) =>
    attempt(async () => {
      const { total = 0 } = await client.events.list({ producerId: id, pageSize: 1, count: true, fields: ['id'] });
      const values = { name: user.name, producer: producer.name };
      const text = plural(locale, t.members.removeText, total, values);
      if (!(await confirm({ title: fill(t.members.removeName, values), text, action: t.members.remove, danger: true }))) return;
      await client.producers.members.remove({ id, userId: user.id });
      const undo = () => attempt(() => client.producers.members.add({ id, email: user.email, name: user.name, role }));
      toast(fill(t.members.removed, values), { action: { label: frame.undo, run: undo } });
    });
  return (
    <section class="panel stack">
      <h2>{t.members.title}</h2>
      <Show of={members}>
        {(rows) => (
          <ul class="rows">
            {rows.map((member) => (
              <li key={member.user.id}>
                <span>
                  <span>
                    <b>{member.user.name}</b> {member.invited && <span class="pill">{t.members.invited}</span>}
                  </span>
                  <span class="soft small">{member.user.email}</span>
                </span>
                {canManage ? (
                  <span class="actions">
                    <RoleSelect member={member} onChange={(role) => void setRole(member.user.id, role)} />
                    <button
                      type="button"
                      class="icon-button"
                      aria-label={fill(t.members.removeName, { name: member.user.name, producer: producer.name })}
                      onClick={() => void remove(member)}
                    >
                      <Icon path={icons.close} />
                    </button>
                  </span>
                ) : (
                  <span class="pill">{t.roles[member.role]}</span>
                )}
              </li>
            ))}
          </ul>
        )}
      </Show>
      {canManage && (
        <div class="actions">
          <button type="button" class="button plain" onClick={() => setAdding(true)}>
            <Icon path={icons.plus} size={18} />
            {t.members.add}
          </button>
        </div>
      )}
      {isAdding && <AddMember producer={producer} onClose={() => setAdding(false)} onDone={members.reload} />}
    </section>
  );
}

function RoleSelect({ member: { user, role }, onChange }: { member: Member; onChange: (role: Role) => void }) {
  const t = useMessages<ProducersMessages>();
  return (
    <select
      class="input filter-select"
      aria-label={fill(t.members.roleOf, { name: user.name })}
      value={role}
      onChange={(event) => onChange(event.currentTarget.value as Role)}
    >
      {roles.map((value) => (
        <option key={value} value={value} selected={value === role}>
          {t.roles[value]}
        </option>
      ))}
    </select>
  );
}

interface AddMemberProps {
  producer: Producer;
  onClose: () => void;
  onDone: () => unknown;
}

function AddMember({ producer: { id }, onClose, onDone }: AddMemberProps) {
  const { client } = useConsole();
  const t = useMessages<ProducersMessages>();
  const toast = useToast();
  const submit = async ({ email, name, role }: { email: string; name: string | null; role: Role }) => {
    await client.producers.members.add({ id, email, role, ...(name && { name }) });
    toast(fill(t.members.added, { email }));
    onClose();
    onDone();
  };
  return (
    <Dialog title={t.members.add} onClose={onClose}>
      <Form
        draft={`new-member-${id}`}
        initial={{ email: '', name: null as string | null, role: 'manager' as Role }}
        submit={({ values }) => submit(values)}
        action={t.members.send}
      >
        <TextField
          name="email"
          type="email"
          label={t.members.email}
          hint={t.members.emailHint}
          maxLength={254}
          autocomplete="off"
          required
          autofocus
        />
        <TextField name="name" label={t.members.name} maxLength={200} autocomplete="off" />
        <SelectField
          name="role"
          label={t.members.role}
          hint={t.members.roleHint}
          options={roles.map((value) => ({ value, label: t.roles[value] }))}
          required
        />
      </Form>
    </Dialog>
  );
}
