import { useState } from 'preact/hooks';
import type { SettingsMessages } from '../../../messages/console/settings.en.ts';
import { fill } from '../../../messages/fill.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { date } from '../../../ui/format.ts';
import { Icon } from '../../../ui/icon.tsx';
import * as icons from '../../../ui/icons.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { useToast } from '../../app/toasts.tsx';
import { type EventData, useEvent } from '../../app/use-event.ts';
import { useConfirm } from '../../parts/confirm.tsx';
import { Menu } from '../../parts/menu.tsx';
import { errorText } from '../../parts/show.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { DuplicateSessionDialog, SessionDialog } from './session-dialog.tsx';
import { SettingsHead } from './settings-head.tsx';

export type Session = EventData['sessions'][number];
type Open = { kind: 'new' } | { kind: 'edit' | 'duplicate'; session: Session } | null;

/** The dates of the event. */
export function Sessions() {
  const { client, t: frame, locale } = useConsole();
  const t = useMessages<SettingsMessages>();
  const { event, reload } = useEvent();
  const toast = useToast();
  const confirm = useConfirm();
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);

  async function remove(session: Session): Promise<void> {
    const when = date(session.start, 'longMoment', locale);
    const question = { title: fill(t.sessions.deleteTitle, { name: session.name }), text: fill(t.sessions.deleteText, { date: when }) };
    if (!(await confirm({ ...question, action: t.sessions.delete, danger: true }))) return;
    try {
      await client.sessions.delete({ id: event.id, sessionId: session.id });
      toast(fill(t.sessions.deleted, { name: session.name }));
    } catch (error) {
      toast(errorText(frame, error), { tone: 'bad' });
    }
    await reload();
  }

  const columns: Column<Session>[] = [
    { key: 'name', label: t.sessions.name, cell: ({ name }) => <b>{name}</b> },
    { key: 'start', label: t.sessions.start, cell: ({ start }) => date(start, 'moment', locale), sort: ({ start }) => start },
    { key: 'finish', label: t.sessions.finish, cell: ({ finish }) => date(finish, 'moment', locale) },
    {
      key: 'capacity',
      label: t.sessions.capacity,
      align: 'end',
      cell: ({ capacity }) => (capacity === null ? t.sessions.noLimit : new Intl.NumberFormat(locale).format(capacity)),
    },
    {
      key: 'actions',
      label: t.sessions.actions,
      align: 'end',
      cell: (session) => (
        <span class="settings-row-actions">
          <button type="button" class="text-button" onClick={() => setOpen({ kind: 'edit', session })}>
            {t.sessions.edit}
            <span class="visually-hidden"> {session.name}</span>
          </button>
          <Menu
            label={fill(t.sessions.menu, { name: session.name })}
            summary={
              <span class="icon-button">
                <Icon path={icons.more} />
              </span>
            }
          >
            <button type="button" class="menu-item" onClick={() => setOpen({ kind: 'duplicate', session })}>
              <Icon path={icons.copy} size={18} />
              {t.sessions.duplicate}
            </button>
            <button type="button" class="menu-item" onClick={() => void remove(session)}>
              <Icon path={icons.close} size={18} />
              {t.sessions.delete}
            </button>
          </Menu>
        </span>
      ),
    },
  ];
  return (
    <>
      <SettingsHead subject="sessions">
        <button type="button" class="button" onClick={() => setOpen({ kind: 'new' })}>
          <Icon path={icons.plus} />
          {t.sessions.add}
        </button>
      </SettingsHead>
      {event.sessions.length === 0 ? (
        <EmptyState icon={icons.calendar} title={t.sessions.none} text={t.sessions.noneText} />
      ) : (
        <Table name="sessions" caption={t.subjects.sessions} columns={columns} rows={event.sessions} rowKey={({ id }) => id} />
      )}
      {open?.kind === 'duplicate' && <DuplicateSessionDialog session={open.session} onClose={close} />}
      {(open?.kind === 'new' || open?.kind === 'edit') && (
        <SessionDialog session={open.kind === 'edit' ? open.session : null} onClose={close} />
      )}
    </>
  );
}
