import type { WaitingListMessages } from '../../../messages/console/waiting-list.en.ts';
import { fill, plural } from '../../../messages/fill.ts';
import { instant } from '../../../ui/format.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { to } from '../../app/place.ts';
import { useToast } from '../../app/toasts.tsx';
import { useEvent } from '../../app/use-event.ts';
import { useConfirm } from '../../parts/confirm.tsx';
import { errorText } from '../../parts/show.tsx';
import type { Column } from '../../parts/table.tsx';
import type { Entry, Line } from './waiting-list.tsx';

const tones: Record<Entry['status'], string> = {
  unconfirmed: '',
  waiting: 'brand',
  offered: 'warn',
  bought: 'ok',
  lapsed: '',
  left: '',
  removed: '',
};

export function useEntryColumns(reload: () => Promise<void>): Column<Entry>[] {
  const { locale } = useConsole();
  const { event, can } = useEvent();
  const t = useMessages<WaitingListMessages>();
  const remove = useRemove(reload);
  const moment = (at: string | null) => (at === null ? '–' : instant(at, 'shortMoment', locale, event.timezone));
  const sessionOf = (id: number | null) => event.sessions.find((session) => session.id === id)?.name ?? '–';
  const actions: Column<Entry> = {
    key: 'actions',
    label: t.columns.actions,
    align: 'end',
    cell: (entry) =>
      entry.email === null ? null : (
        <button type="button" class="button plain" aria-label={`${t.remove.open}: ${entry.email}`} onClick={() => void remove(entry)}>
          {t.remove.open}
        </button>
      ),
  };
  return [
    { key: 'email', label: t.columns.email, cell: ({ email }) => email ?? t.erased },
    { key: 'position', label: t.columns.position, align: 'end', cell: ({ position }) => position ?? '–' },
    {
      key: 'status',
      label: t.columns.status,
      cell: ({ status, orderId }) => (
        <span class="pills">
          <span class={`pill ${tones[status]}`}>{t.status[status]}</span>
          {orderId !== null && <a href={to(`/events/${event.id}/orders/${orderId}`)}>{fill(t.order, { id: orderId })}</a>}
        </span>
      ),
    },
    { key: 'quantity', label: t.columns.quantity, align: 'end', cell: ({ quantity }) => quantity },
    { key: 'item', label: t.columns.item, cell: ({ itemName }) => itemName },
    { key: 'session', label: t.columns.session, optional: 'hidden', cell: ({ sessionId }) => sessionOf(sessionId) },
    { key: 'since', label: t.columns.since, optional: true, cell: ({ confirmedAt }) => moment(confirmedAt) },
    {
      key: 'until',
      label: t.columns.until,
      optional: true,
      cell: ({ status, expiresAt }) => moment(status === 'offered' ? expiresAt : null),
    },
    ...(can('order.refund') ? [actions] : []),
  ];
}

export function useLineColumns(): Column<Line>[] {
  const { locale } = useConsole();
  const t = useMessages<WaitingListMessages>();
  const number = (value: number) => new Intl.NumberFormat(locale).format(value);
  const count = (key: 'waiting' | 'offered' | 'bought' | 'lapsed'): Column<Line> => ({
    key,
    label: t.numbers[key],
    align: 'end',
    cell: (line) => number(line[key]),
  });
  return [
    {
      key: 'item',
      label: t.columns.item,
      cell: ({ itemName, sessionName }) => [itemName, sessionName].filter((part) => part !== null).join(' · '),
    },
    count('waiting'),
    { key: 'tickets', label: t.columns.waitingTickets, align: 'end', cell: ({ waitingTickets }) => number(waitingTickets) },
    count('offered'),
    count('bought'),
    count('lapsed'),
  ];
}

function useRemove(reload: () => Promise<void>) {
  const { client, t: frame, locale } = useConsole();
  const { event } = useEvent();
  const t = useMessages<WaitingListMessages>();
  const confirm = useConfirm();
  const toast = useToast();
  return async ({ id, email, status, quantity }: Entry) => {
    const isOpen = status === 'waiting' || status === 'offered' || status === 'unconfirmed';
    const text = status === 'offered' ? plural(locale, t.remove.offer, quantity) : isOpen ? t.remove.place : t.remove.address;
    const question = { title: fill(t.remove.title, { email: email ?? '' }), text, action: t.remove.action };
    if (!(await confirm({ ...question, danger: true }))) return;
    try {
      await client.waitingList.remove({ id: event.id, entryId: id });
      toast(t.remove.done);
      await reload();
    } catch (error) {
      toast(errorText(frame, error), { tone: 'bad' });
    }
  };
}
