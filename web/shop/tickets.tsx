import type { TicketCard as Card, CardSession, TicketCards as Cards } from '../../src/web/ticket-card-contract.ts';
import { fill, plural } from '../messages/fill.ts';
import { bareDate, date } from '../ui/format.ts';
import { Icon } from '../ui/icon.tsx';
import * as icons from '../ui/icons.ts';
import { type PageProps, withQuery } from './page.ts';
import { Picture } from './poster.tsx';

type CardsProps = PageProps & { tickets: Cards };
type CardProps = CardsProps & { card: Card };

/**
 * The tickets of an order as cards, like the passes of a wallet app. On phones they lie side by side and snap into place; on large screens
 * they form a grid. The QR codes are part of the page, so that they can be shown without a network.
 */
export const TicketCards = (props: CardsProps) => {
  const { frame, t, tickets } = props;
  const notShown = tickets.total - tickets.cards.length;
  return (
    <section class="passes-section" aria-labelledby="passes-title">
      <h2 id="passes-title">{t.pass.title}</h2>
      {/* A region that scrolls must be reachable with the keyboard. */}
      <ol class="passes" tabIndex={0} aria-label={t.pass.list}>
        {tickets.cards.map((card) => (
          <li class={`pass ${card.status}`} id={`ticket-${card.number}`}>
            <Pass {...props} card={card} />
          </li>
        ))}
      </ol>
      {tickets.cards.length > 1 && <Dots {...props} />}
      <TicketFiles {...props} />
      <p class="soft small passes-hint">{t.pass.show}</p>
      {notShown > 0 && <p class="soft passes-hint">{plural(frame.locale, t.pass.notShown, notShown)}</p>}
    </section>
  );
};

/** The tickets as files. The cookie of the order gives access to them. */
const TicketFiles = ({ frame, t, tickets }: CardsProps) => {
  const address = (file: string) => withQuery(`/v1/orders/${tickets.orderId}/${file}`, { locale: frame.locale });
  if (tickets.cards.every(({ status }) => status === 'refunded')) return null;
  return (
    <p class="pass-files no-print">
      <a class="button secondary" href={address('tickets.pdf')}>
        <Icon path={icons.ticket} size={18} /> {t.pass.pdf}
      </a>
      <a class="button secondary" href={address('calendar.ics')}>
        <Icon path={icons.calendar} size={18} /> {t.pass.calendar}
      </a>
    </p>
  );
};

/** Links to the cards on phones. They also say how many cards there are. */
const Dots = ({ t, tickets: { cards, total } }: CardsProps) => (
  <nav class="pass-dots no-print" aria-label={t.pass.title}>
    {cards.slice(0, 12).map(({ number }) => (
      <a href={`#ticket-${number}`} aria-label={fill(t.pass.number, { number, total })}>
        {number}
      </a>
    ))}
  </nav>
);

const Pass = ({ frame, t, tickets, card }: CardProps) => (
  <article aria-labelledby={`pass-${card.number}`}>
    <div class="pass-picture">
      <Picture image={tickets.image} sizes="400px" first />
    </div>
    <header class="pass-head">
      <p class="pass-number">
        {fill(t.pass.number, { number: card.number, total: tickets.total })}
        <Status t={t} status={card.status} />
      </p>
      <h3 id={`pass-${card.number}`}>{tickets.title}</h3>
      <Dates frame={frame} t={t} sessions={card.sessions} />
      {tickets.venue && (
        <p class="pass-line">
          <Icon path={icons.pin} size={18} />
          <span>
            {tickets.venue.name}
            {tickets.venue.address && <span class="soft">, {tickets.venue.address}</span>}
          </span>
        </p>
      )}
    </header>
    <div class="pass-cut" aria-hidden="true" />
    <div class="pass-code">
      {card.qr ? <QrCode label={fill(t.pass.qr, { number: card.number })} {...card.qr} /> : <p>{t.pass.refundedText}</p>}
      {card.shortCode && (
        <p class="pass-short">
          <span class="visually-hidden">{t.pass.shortCode}: </span>
          {card.shortCode}
        </p>
      )}
    </div>
    <dl class="pass-facts">
      <Fact label={t.pass.item} value={card.item} />
      {card.holder && <Fact label={t.pass.holder} value={card.holder} />}
      <Fact label={t.pass.order} value={`${tickets.orderId}-${card.number}`} />
    </dl>
  </article>
);

const statusIcons: Record<Card['status'], string> = { valid: icons.check, used: icons.person, refunded: icons.undo };

const Status = ({ t, status }: Pick<PageProps, 't'> & { status: Card['status'] }) => (
  <span class={`pill pass-status ${status}`}>
    <Icon path={statusIcons[status]} size={14} /> {t.pass[status]}
  </span>
);

const maxDates = 3;

/** One session with its doors, or the first sessions of a ticket for several. */
function Dates({ frame: { locale }, t, sessions }: PageProps & { sessions: readonly CardSession[] }) {
  const [first] = sessions;
  if (!first) return null;
  const hidden = sessions.length - maxDates;
  return (
    <div class="pass-line pass-dates">
      <Icon path={icons.calendar} size={18} />
      <div>
        {sessions.slice(0, maxDates).map(({ name, start }) => (
          <p>
            <strong>
              {bareDate(start, 'day', locale)} · {date(start, 'time', locale)}
            </strong>
            {name && <span class="soft"> {name}</span>}
          </p>
        ))}
        {hidden > 0 && <p class="soft">{plural(locale, t.pass.more, hidden)}</p>}
        {sessions.length === 1 && first.doorsOpenAt && (
          <p class="soft">
            {t.pass.doors}: {date(first.doorsOpenAt, 'time', locale)}
          </p>
        )}
      </div>
    </div>
  );
}

/** Scanners need a white margin of four modules around the code, also on a dark page. */
const margin = 4;

const QrCode = ({ label, size, path }: { label: string; size: number; path: string }) => (
  <svg
    class="pass-qr"
    role="img"
    aria-label={label}
    viewBox={`${-margin} ${-margin} ${size + 2 * margin} ${size + 2 * margin}`}
    shape-rendering="crispEdges"
  >
    <rect x={-margin} y={-margin} width="100%" height="100%" fill="#fff" />
    <path d={path} fill="#000" />
  </svg>
);

const Fact = ({ label, value }: { label: string; value: string }) => (
  <div>
    <dt>{label}</dt>
    <dd>{value}</dd>
  </div>
);
