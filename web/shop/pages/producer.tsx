import type { ProducerPage } from '../../../src/web/contract.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Icon } from '../../ui/icon.tsx';
import * as icons from '../../ui/icons.ts';
import { EventList } from '../event-card.tsx';
import { href, type PageProps, withQuery } from '../page.ts';
import { Picture } from '../poster.tsx';

export function Producer({ frame, t, page }: PageProps & { page: ProducerPage }) {
  const { name, description, logo, links, events, nextCursor } = page;
  return (
    <div class="wrap producer-page">
      <header class="producer-head">
        <div class="producer-logo">
          {logo ? <Picture image={logo} sizes="96px" first /> : <span aria-hidden="true">{name.slice(0, 1)}</span>}
        </div>
        <div class="producer-text">
          <p class="soft">{t.event.organizer}</p>
          <h1>{name}</h1>
          {description && <p class="plain-text">{description}</p>}
          {links.length > 0 && (
            <ul class="chips" aria-label={t.producer.links}>
              {links.map(({ kind, url }) => (
                <li>
                  <a class="chip" href={url} rel="noreferrer nofollow">
                    {hostOf(url)} <Icon path={icons.external} size={16} />
                    <span class="visually-hidden"> ({kind})</span>
                  </a>
                </li>
              ))}
            </ul>
          )}
        </div>
      </header>
      <section class="producer-events" aria-labelledby="upcoming">
        <h2 id="upcoming">{t.producer.upcoming}</h2>
        {events.length === 0 ? (
          <EmptyState
            icon={icons.ticket}
            title={t.producer.empty}
            text={t.producer.emptyText}
            action={{ href: href(frame, '/search'), label: t.search.all }}
          />
        ) : (
          <EventList frame={frame} t={t} events={events} layout="grid list" />
        )}
        {nextCursor && (
          <a class="button secondary" href={withQuery(href(frame, frame.path), { cursor: nextCursor })}>
            {t.search.more}
          </a>
        )}
      </section>
    </div>
  );
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host.replace(/^www\./, '') : url);
