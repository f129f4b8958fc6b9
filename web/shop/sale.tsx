import type { Ticket } from '../../src/storefront/contract.ts';
import type { Session, TicketChoice } from '../../src/web/contract.ts';
import { fill } from '../messages/fill.ts';
import { bareDate, date } from '../ui/format.ts';
import { Notice } from '../ui/notice.tsx';
import { TicketChoiceForm, type TicketChoiceProps } from './islands/ticket-choice.tsx';
import type { PageProps } from './page.ts';
import { safeJson } from './safe-json.ts';

interface SessionPickerProps extends PageProps {
  sessions: readonly Session[];
  chosenId: number | null;
  /** The address of the page with the tickets of a session. */
  addressOf(session: Session): string;
  /** Set if the links must not open in a new tab. */
  target?: '_self';
}

/** One link per session. A link also works without JavaScript, and the address of the page names the session. */
export const SessionPicker = ({ frame: { locale }, t, sessions, chosenId, addressOf, target }: SessionPickerProps) => (
  <nav class="sessions" aria-label={t.sale.chooseSession}>
    <p class="sessions-label" aria-hidden="true">
      {t.sale.chooseSession}
    </p>
    <ul class="sessions-list">
      {sessions.map((session) => (
        <li>
          <a
            class={`session ${session.status}`}
            href={addressOf(session)}
            {...(target && { target })}
            {...(session.id === chosenId && { 'aria-current': 'true' as const })}
          >
            <span class="session-day">{bareDate(session.start, 'weekday', locale)}</span>
            <span class="session-date">{bareDate(session.start, 'shortDay', locale)}</span>
            <span class="session-time">{session.status === 'soldout' ? t.tickets.soldout : date(session.start, 'time', locale)}</span>
            <span class={hasTwin(session, sessions) ? 'session-time' : 'visually-hidden'}>{session.name}</span>
          </a>
        </li>
      ))}
    </ul>
    {sessions
      .filter(({ id }) => id === chosenId)
      .map(({ name, start, doorsOpenAt }) => (
        <p class="session-chosen">
          <strong>{name}</strong>
          <span class="soft">
            {[date(start, 'moment', locale), doorsOpenAt && fill(t.event.doors, { time: date(doorsOpenAt, 'time', locale) })]
              .filter(Boolean)
              .join(' · ')}
          </span>
        </p>
      ))}
  </nav>
);

/** Whether another session starts at the same time. Then only the name tells them apart. */
const hasTwin = ({ id, start }: Session, sessions: readonly Session[]): boolean =>
  sessions.some((other) => other.id !== id && other.start === start);

export const hasTickets = ({ groups }: TicketChoice): boolean => groups.some(({ tickets }) => tickets.length > 0);

/** The tickets, with the data for the script that makes them live (islands/hydrate-choice.tsx). */
export function LiveTickets({ frame, t, choice, hasWaitingList = false }: PageProps & { choice: TicketChoice; hasWaitingList?: boolean }) {
  const data: TicketChoiceProps = { choice, tickets: t.tickets, refusal: t.refusal };
  return (
    <>
      <SaleNotice frame={frame} t={t} tickets={choice.groups.flatMap(({ tickets }) => tickets)} hasWaitingList={hasWaitingList} />
      <div id="ticket-choice">
        <TicketChoiceForm {...data} />
      </div>
      <script id="ticket-choice-data" type="application/json" dangerouslySetInnerHTML={{ __html: safeJson(data) }} />
    </>
  );
}

/** Says why no ticket can be chosen, if that is so. */
export function SaleNotice({
  frame,
  t,
  tickets,
  hasWaitingList = false,
}: PageProps & { tickets: readonly Ticket[]; hasWaitingList?: boolean }) {
  const has = (status: Ticket['status']) => tickets.some((ticket) => ticket.status === status);
  if (has('available')) return null;
  const [opens] = tickets.flatMap(({ status, start }) => (status === 'notstarted' && start ? [start] : [])).toSorted();
  if (opens !== undefined) return <Notice tone="warn" title={fill(t.sale.opens, { date: date(opens, 'longMoment', frame.locale) })} />;
  const [title, text] = has('soldout')
    ? [t.sale.allSoldout, hasWaitingList ? t.waiting.soldoutText : t.sale.allSoldoutText]
    : [t.sale.ended, t.sale.endedText];
  return (
    <Notice tone="plain" title={title}>
      <p>{text}</p>
    </Notice>
  );
}
