import type { EmbedPage } from '../../../src/web/contract.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { date, dayRange } from '../../ui/format.ts';
import { Icon } from '../../ui/icon.tsx';
import * as icons from '../../ui/icons.ts';
import { Logo } from '../../ui/logo.tsx';
import { Notice } from '../../ui/notice.tsx';
import { href, type PageProps, withQuery } from '../page.ts';
import { Picture } from '../poster.tsx';
import { hasTickets, LiveTickets, SessionPicker } from '../sale.tsx';

type EmbedProps = PageProps & { page: EmbedPage };

/** The widget that other sites show in an iframe: the tickets of an event. All links and the order open in a new tab. */
export function EmbedView({ frame, t, page }: EmbedProps) {
  const { event } = page;
  return (
    <main id="content" class="embed">
      <EmbedHead frame={frame} t={t} page={page} />
      {event.status === 'cancelled' ? (
        <Notice tone="bad" title={t.event.cancelled} />
      ) : event.isOver ? (
        <Notice tone="plain" title={t.event.finished} />
      ) : hasTickets(event.choice) ? (
        <section class="tickets" id="tickets" aria-label={t.sale.title}>
          {event.choosesSession && (
            <SessionPicker
              frame={frame}
              t={t}
              sessions={event.sessions}
              chosenId={event.choice.sessionId}
              addressOf={({ id }) => withQuery(`/embed/${event.link}`, { lang: frame.locale, session: id })}
              target="_self"
            />
          )}
          <LiveTickets frame={frame} t={t} choice={choiceIn({ frame, event })} />
        </section>
      ) : (
        <EmptyState icon={icons.ticket} title={t.sale.none} text={t.sale.noneText} />
      )}
      <footer class="embed-footer">
        <a href={href(frame, `/event/${event.link}`)}>
          {t.embed.more} <Icon path={icons.external} size={14} />
        </a>
        <a class="embed-brand" href={href(frame, '/')}>
          <Logo size={20} /> Tessera
        </a>
      </footer>
    </main>
  );
}

/** The form of the waiting list is on the page of the event. */
const choiceIn = ({ frame, event }: { frame: EmbedProps['frame']; event: EmbedPage['event'] }) => ({
  ...event.choice,
  waitingListHref: event.waiting === null ? null : `${href(frame, `/event/${event.link}`)}#waiting-list`,
});

function EmbedHead({ frame: { locale }, page: { event } }: EmbedProps) {
  const { start, finish, venue } = event;
  return (
    <header class="embed-head">
      <div class="embed-poster">
        <Picture image={event.poster.tall} sizes="72px" first />
      </div>
      <div>
        <h1>{event.title}</h1>
        <p class="soft">
          {start && finish && (
            <>
              {dayRange(start, finish, locale)} · {date(start, 'time', locale)}
            </>
          )}
          {start && venue && <span aria-hidden="true"> · </span>}
          {venue && [venue.name, venue.city].filter(Boolean).join(', ')}
        </p>
      </div>
    </header>
  );
}
