import { useState } from 'preact/hooks';
import { type AnswerOf, isProblem } from '../../../../client/src/index.ts';
import { type ProducerRole, producerRoles } from '../../../../src/kernel/access.ts';
import type { ProducerMessages } from '../../../messages/console/producer.en.ts';
import { fill } from '../../../messages/fill.ts';
import { Icon } from '../../../ui/icon.tsx';
import * as icons from '../../../ui/icons.ts';
import type { ScreenProps } from '../../app/area.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { useToast } from '../../app/toasts.tsx';
import { useData, usePages } from '../../app/use-data.ts';
import { useConfirm } from '../../parts/confirm.tsx';
import { errorText, Show } from '../../parts/show.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { InviteMember } from './invite-member.tsx';
import { ProducerHead } from './producer-head.tsx';

type Member = AnswerOf<'listMembers'>['data'][number];

/** The owners and managers of a producer. */
export function Members({ params: { producerId = '' } }: ScreenProps) {
  const { client, t: frame, me, can, reloadMe } = useConsole();
  const t = useMessages<ProducerMessages>();
  const toast = useToast();
  const confirm = useConfirm();
  const [isInviting, setInviting] = useState(false);
  const producer = useData((signal) => client.producers.get({ id: producerId }, { signal }), [producerId]);
  const members = usePages(
    (cursor, signal) =>
      client.producers.members.list({ id: producerId, pageSize: 100, ...(cursor && { cursor }) }, { ...(signal && { signal }) }),
    [producerId],
  );
  const canManage = can('members.manage', { producerId: Number(producerId) });

  const attempt = async (userId: number, work: () => Promise<unknown>, done: string) => {
    try {
      await work();
      toast(done);
      // Owners can take away their own role.
      if (userId === me?.id) await reloadMe();
    } catch (error) {
      toast(isProblem(error, 'last_owner') ? t.members.lastOwner : errorText(frame, error), { tone: 'bad' });
    }
    await members.reload();
  };
  const changeRole = ({ user }: Member, role: ProducerRole) =>
    attempt(
      user.id,
      () => client.producers.members.update({ id: producerId, userId: user.id, role }),
      fill(t.members.changed, { name: user.name, role: t.members.roles[role] }),
    );
  const remove = async ({ user }: Member) => {
    const title = fill(t.members.removeOf, { name: user.name });
    if (!(await confirm({ title, text: fill(t.members.removeText, { name: user.name }), action: title, danger: true }))) return;
    const done = fill(t.members.removed, { name: user.name });
    await attempt(user.id, () => client.producers.members.remove({ id: producerId, userId: user.id }), done);
  };

  const columns: Column<Member>[] = [
    {
      key: 'name',
      label: t.members.name,
      sort: ({ user }) => user.name,
      cell: ({ user, invited }) => (
        <span>
          <b>{user.name}</b> {user.id === me?.id && <span class="pill brand">{t.members.you}</span>}
          {invited && <span class="pill warn">{t.members.invited}</span>}
        </span>
      ),
    },
    { key: 'email', label: t.members.email, cell: ({ user }) => user.email, sort: ({ user }) => user.email },
    {
      key: 'role',
      label: t.members.role,
      sort: ({ role }) => role,
      cell: (member) =>
        canManage ? (
          <select
            class="input filter-select"
            aria-label={fill(t.members.changeRole, { name: member.user.name })}
            value={member.role}
            onChange={(event) => void changeRole(member, event.currentTarget.value as ProducerRole)}
          >
            {producerRoles.map((role) => (
              <option key={role} value={role} selected={role === member.role}>
                {t.members.roles[role]}
              </option>
            ))}
          </select>
        ) : (
          t.members.roles[member.role]
        ),
    },
    ...(canManage ? [removeColumn(t, remove)] : []),
  ];
  return (
    <>
      <ProducerHead producerId={producerId} title={producer.data?.name ?? t.title}>
        {canManage && (
          <button type="button" class="button" onClick={() => setInviting(true)}>
            <Icon path={icons.plus} />
            {t.members.add}
          </button>
        )}
      </ProducerHead>
      <p class="soft">{t.members.text}</p>
      <Show of={members}>
        {(rows) => (
          <Table
            name="members"
            caption={t.members.title}
            columns={columns}
            rows={rows}
            rowKey={({ user }) => user.id}
            more={members.more}
          />
        )}
      </Show>
      {isInviting && <InviteMember producerId={producerId} onInvited={members.reload} onClose={() => setInviting(false)} />}
    </>
  );
}

const removeColumn = (t: ProducerMessages, remove: (member: Member) => Promise<void>): Column<Member> => ({
  key: 'remove',
  label: t.members.actions,
  cell: (member) => (
    <button
      type="button"
      class="button plain"
      aria-label={fill(t.members.removeOf, { name: member.user.name })}
      onClick={() => void remove(member)}
    >
      {t.members.remove}
    </button>
  ),
});
