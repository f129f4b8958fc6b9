import type { EventPage } from '../../../src/web/contract.ts';
import { plural } from '../../messages/fill.ts';
import { Icon } from '../../ui/icon.tsx';
import * as icons from '../../ui/icons.ts';
import { Notice } from '../../ui/notice.tsx';
import { EventList } from '../event-card.tsx';
import { categoryName, href, type PageProps } from '../page.ts';
import { EventPoster } from '../poster.tsx';
import { EventFacts } from './event-facts.tsx';
import { EventTickets } from './event-tickets.tsx';

export type EventProps = PageProps & { page: EventPage };

const isOnSale = ({ status, isOver }: EventPage): boolean => status !== 'cancelled' && !isOver;

export function EventView({ frame, t, page }: EventProps) {
  return (
    <>
      <article class="wrap event-page">
        <EventPoster poster={page.poster} />
        <div class="event-main">
          <EventHead frame={frame} t={t} page={page} />
          {isOnSale(page) && <EventTickets frame={frame} t={t} page={page} />}
          <EventTexts frame={frame} t={t} page={page} />
        </div>
      </article>
      {page.similar.length > 0 && (
        <section class="wrap event-similar" aria-labelledby="similar">
          <h2 id="similar">{t.event.similar}</h2>
          <EventList frame={frame} t={t} events={page.similar} layout="row" />
        </section>
      )}
    </>
  );
}

/** Longer titles have smaller letters, so that the date and the place stay on the first screen. */
const longTitle = 60;

function EventHead({ frame, t, page }: EventProps) {
  const { title, subtitle, producer } = page;
  const category = frame.categories.find(({ slug }) => slug === page.category) ?? { slug: page.category, name: page.category };
  return (
    <header class="event-head">
      <p class="event-kicker">
        <a href={href(frame, `/${category.slug}`)}>{categoryName(t, category)}</a>
        <span aria-hidden="true"> · </span>
        <a href={href(frame, producer.path)}>{producer.name}</a>
      </p>
      <h1 {...(title.length > longTitle && { class: 'long' })}>{title}</h1>
      {subtitle && <p class="event-subtitle">{subtitle}</p>}
      {page.preview !== null && (
        <Notice tone="warn" title={t.event.preview}>
          <p>{page.status === 'draft' ? t.event.previewDraft : t.event.previewPublished}</p>
        </Notice>
      )}
      {page.status === 'cancelled' && (
        <Notice tone="bad" title={t.event.cancelled}>
          <p>{t.event.cancelledText}</p>
        </Notice>
      )}
      {page.status !== 'cancelled' && page.isOver && (
        <Notice tone="plain" title={t.event.finished}>
          <p>{t.event.finishedText}</p>
        </Notice>
      )}
      <EventFacts frame={frame} t={t} page={page} />
      <div class="event-actions">
        <button class="button secondary needs-script" type="button" data-share data-copied={t.event.copied}>
          <Icon path={icons.share} size={18} />
          <span data-label aria-live="polite">
            {t.event.share}
          </span>
        </button>
      </div>
      {page.status === 'private' && (
        <Notice tone="plain">
          <p>{t.event.private}</p>
        </Notice>
      )}
    </header>
  );
}

/** What a buyer wants to know before buying. The description is HTML that was sanitised when it was stored. */
const EventTexts = ({ frame, t, page }: EventProps) => (
  <div class="event-texts">
    {page.description !== '' && (
      <section aria-labelledby="about">
        <h2 id="about">{t.event.about}</h2>
        <div class="prose" dangerouslySetInnerHTML={{ __html: page.description }} />
      </section>
    )}
    {page.faq.length > 0 && (
      <section aria-labelledby="faq">
        <h2 id="faq">{t.event.faq}</h2>
        <div class="faq">
          {page.faq.map(({ question, answer }) => (
            <details>
              <summary>
                {question}
                <Icon path={icons.chevron} />
              </summary>
              <p class="plain-text">{answer}</p>
            </details>
          ))}
        </div>
      </section>
    )}
    {page.accessibility && (
      <section aria-labelledby="accessibility">
        <h2 id="accessibility">{t.event.accessibility}</h2>
        <p class="plain-text">{page.accessibility}</p>
      </section>
    )}
    <section aria-labelledby="organizer">
      <h2 id="organizer">{t.event.organizer}</h2>
      <p>
        <a href={href(frame, page.producer.path)}>{page.producer.name}</a>
      </p>
      {page.withdrawalDays > 0 && isOnSale(page) && (
        <p class="with-icon soft">
          <Icon path={icons.shield} /> {plural(frame.locale, t.event.freeCancellation, page.withdrawalDays)}
        </p>
      )}
    </section>
  </div>
);
