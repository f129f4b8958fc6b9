import { useState } from 'preact/hooks';
import type { AnswerOf } from '../../../../client/src/index.ts';
import { crewRoles } from '../../../../src/kernel/access.ts';
import type { TeamMessages } from '../../../messages/console/team.en.ts';
import { fill } from '../../../messages/fill.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Icon } from '../../../ui/icon.tsx';
import * as icons from '../../../ui/icons.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { useToast } from '../../app/toasts.tsx';
import { useData } from '../../app/use-data.ts';
import { useEvent } from '../../app/use-event.ts';
import { useConfirm } from '../../parts/confirm.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { errorText, Show } from '../../parts/show.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { AddDialog, RoleDialog } from './member-dialogs.tsx';
import './team.css';

export type Member = AnswerOf<'getCrew'>['team'][number];

/** The crew of the event: who may do what. */
export function Team() {
  const { client } = useConsole();
  const { event, can } = useEvent();
  const t = useMessages<TeamMessages>();
  const [opened, setOpened] = useState<'add' | Member | null>(null);
  const crew = useData((signal) => client.events.crew({ id: event.id }, { signal }), [event.id]);
  const done = () => {
    setOpened(null);
    void crew.reload();
  };
  const columns = useColumns(setOpened, crew.reload);
  return (
    <>
      <PageHead title={t.title} about={fill(t.about, { producer: event.producer.name })}>
        {can('crew.manage') && (
          <button type="button" class="button" onClick={() => setOpened('add')}>
            <Icon path={icons.plus} />
            {t.add}
          </button>
        )}
      </PageHead>
      <Show of={crew}>
        {({ team }) =>
          team.length === 0 ? (
            <EmptyState icon={icons.people} title={t.none.title} text={t.none.text} />
          ) : (
            <Table name="team" caption={t.title} columns={columns} rows={team} rowKey={({ user }) => user.id} />
          )
        }
      </Show>
      <section class="panel">
        <h2>{t.rolesTitle}</h2>
        <dl class="team-roles">
          {crewRoles.map((role) => (
            <div key={role}>
              <dt>{t.roles[role].name}</dt>
              <dd class="soft">{t.roles[role].text}</dd>
            </div>
          ))}
        </dl>
      </section>
      {opened === 'add' && <AddDialog onClose={() => setOpened(null)} onDone={done} />}
      {opened !== null && opened !== 'add' && <RoleDialog member={opened} onClose={() => setOpened(null)} onDone={done} />}
    </>
  );
}

function useColumns(change: (member: Member) => void, reload: () => Promise<void>): Column<Member>[] {
  const { me } = useConsole();
  const { can } = useEvent();
  const t = useMessages<TeamMessages>();
  const remove = useRemove(reload);
  const actions: Column<Member> = {
    key: 'actions',
    label: t.columns.actions,
    align: 'end',
    cell: (member) => (
      <span class="team-actions">
        <button type="button" class="button plain" onClick={() => change(member)} aria-label={`${t.change}: ${member.user.name}`}>
          {t.change}
        </button>
        <button type="button" class="button plain" onClick={() => void remove(member)} aria-label={`${t.remove}: ${member.user.name}`}>
          {t.remove}
        </button>
      </span>
    ),
  };
  return [
    {
      key: 'name',
      label: t.columns.name,
      sort: ({ user }) => user.name,
      cell: ({ user, invited }) => (
        <span class="two-lines">
          <span>
            <b>{user.name}</b> {user.id === me?.id && <span class="soft">({t.you})</span>}{' '}
            {invited && <span class="pill warn">{t.invited}</span>}
          </span>
          <span class="soft small">{user.email}</span>
        </span>
      ),
    },
    { key: 'role', label: t.columns.role, sort: ({ role }) => t.roles[role].name, cell: ({ role }) => t.roles[role].name },
    ...(can('crew.manage') ? [actions] : []),
  ];
}

function useRemove(reload: () => Promise<void>) {
  const { client, t: frame } = useConsole();
  const { event } = useEvent();
  const t = useMessages<TeamMessages>();
  const confirm = useConfirm();
  const toast = useToast();
  return async ({ user }: Member) => {
    const words = { name: user.name };
    const question = { title: fill(t.removing.title, words), text: fill(t.removing.text, words), action: fill(t.removing.action, words) };
    if (!(await confirm({ ...question, danger: true }))) return;
    try {
      await client.crew.remove({ id: event.id, userId: user.id });
      toast(fill(t.removing.done, words));
      await reload();
    } catch (error) {
      toast(errorText(frame, error), { tone: 'bad' });
    }
  };
}
