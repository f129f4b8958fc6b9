import type { BoxOfficeMessages } from '../../../messages/console/box-office.en.ts';
import { fill } from '../../../messages/fill.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { date, money } from '../../../ui/format.ts';
import * as icons from '../../../ui/icons.ts';
import { Notice } from '../../../ui/notice.tsx';
import type { ScreenProps } from '../../app/area.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { to } from '../../app/place.ts';
import { useData } from '../../app/use-data.ts';
import { useEvent } from '../../app/use-event.ts';
import { useConfirm } from '../../parts/confirm.tsx';
import { SelectFilter } from '../../parts/filters.tsx';
import { boxOffice } from '../../parts/item.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { Show } from '../../parts/show.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import type { TicketGroup } from './lot-groups.ts';
import { SaleForm } from './sale-form.tsx';
import { SoldPanel } from './sold-panel.tsx';
import { useSale } from './use-sale.ts';
import './box-office.css';

/** Sells tickets for cash, with the keyboard or by touch. */
export function BoxOffice({ query }: ScreenProps) {
  const { client, locale } = useConsole();
  const { event } = useEvent();
  const t = useMessages<BoxOfficeMessages>();
  const { sessions } = event;
  const session = sessions.find(({ id }) => String(id) === query.get('session')) ?? sessions.find(isOpen) ?? sessions[0];
  const tickets = useData(
    (signal) => {
      const input = { id: event.id, appCategoryId: boxOffice };
      return session && sessions.length > 1
        ? client.events.sessionTickets({ ...input, sessionId: session.id }, { signal })
        : client.events.tickets(input, { signal });
    },
    [event.id, session?.id],
  );
  const sale = useSale(event.id);
  const next = () => {
    sale.next();
    void tickets.reload();
  };
  return (
    <>
      <PageHead title={t.title} about={t.about} />
      {sessions.length > 1 && sale.state.kind === 'choosing' && (
        <div class="filters">
          <SelectFilter
            name="session"
            label={t.session}
            options={sessions.map(({ id, name, start }) => ({
              value: String(id === session?.id ? (query.get('session') ?? '') : id),
              label: `${name} · ${date(start, 'moment', locale)}`,
            }))}
          />
        </div>
      )}
      {sale.state.kind === 'sold' && <SoldPanel sold={sale.state.sold} onNext={next} />}
      {sale.state.kind === 'sending' && (
        <>
          <p role="status">{t.sending}</p>
          <Skeleton lines={3} />
        </>
      )}
      {sale.state.kind === 'waiting' && <Waiting total={sale.state.sale.total} retry={sale.retry} abandon={sale.abandon} />}
      {sale.state.kind === 'choosing' && (
        <Show of={tickets}>
          {({ data }) => {
            const groups = data
              .map((group) => ({ ...group, tickets: group.tickets.filter(isSold) }))
              .filter((group) => group.tickets.length > 0);
            return groups.length === 0 ? (
              <NothingOnSale />
            ) : (
              <SaleForm
                groups={groups}
                sessionId={sessions.length > 1 ? session?.id : undefined}
                error={sale.state.kind === 'choosing' ? sale.state.error : null}
                sell={sale.sell}
              />
            );
          }}
        </Show>
      )}
    </>
  );
}

const isOpen = ({ status }: { status: string }): boolean => status === 'available';
const isSold = ({ status, finalPrice }: TicketGroup['tickets'][number]): boolean => status === 'available' && finalPrice !== null;

function NothingOnSale() {
  const { event, can } = useEvent();
  const t = useMessages<BoxOfficeMessages>();
  const action = can('item.manage') ? { action: { href: to(`/events/${event.id}/tickets`), label: t.none.action } } : {};
  return <EmptyState icon={icons.ticket} title={t.none.title} text={t.none.text} {...action} />;
}

interface WaitingProps {
  total: number;
  retry: () => void;
  abandon: () => void;
}

/** No answer yet. The sale goes on by itself when the network is back. */
function Waiting({ total, retry, abandon }: WaitingProps) {
  const { locale } = useConsole();
  const { event } = useEvent();
  const t = useMessages<BoxOfficeMessages>();
  const confirm = useConfirm();
  const stop = async () => {
    const text = fill(t.waiting.abandonText, { amount: money(total, event.currency, locale) });
    if (await confirm({ title: t.waiting.abandonTitle, text, action: t.waiting.abandon, danger: true })) abandon();
  };
  return (
    <Notice tone="warn" title={t.waiting.title} alert>
      <p>{t.waiting.text}</p>
      <div class="actions">
        <button type="button" class="button" onClick={retry}>
          {t.waiting.retry}
        </button>
        <button type="button" class="button plain" onClick={() => void stop()}>
          {t.waiting.abandon}
        </button>
      </div>
    </Notice>
  );
}
