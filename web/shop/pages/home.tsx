import type { HomePage } from '../../../src/web/contract.ts';
import { fill } from '../../messages/fill.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { dayRange } from '../../ui/format.ts';
import { Icon } from '../../ui/icon.tsx';
import * as icons from '../../ui/icons.ts';
import { EventList } from '../event-card.tsx';
import { categoryName, href, type PageProps } from '../page.ts';
import { Picture } from '../poster.tsx';

export function Home({ frame, t, page }: PageProps & { page: HomePage }) {
  const { featured, banners, sections, upcoming } = page;
  const isEmpty = upcoming.length === 0;
  return (
    <>
      <div class="wrap">{page.cover ? <Cover frame={frame} t={t} cover={page.cover} /> : <Welcome frame={frame} t={t} />}</div>
      {frame.categories.length > 0 && (
        <nav class="wrap home-categories" aria-label={t.common.categories}>
          <div class="chips scrolling">
            {frame.categories.map((category) => (
              <a class="chip" href={href(frame, `/${category.slug}`)}>
                {categoryName(t, category)}
              </a>
            ))}
          </div>
        </nav>
      )}
      {featured.length > 0 && (
        <section class="wrap home-section" aria-labelledby="featured">
          <h2 id="featured">{t.home.featured}</h2>
          <EventList frame={frame} t={t} events={featured} layout="row large" />
        </section>
      )}
      {banners.length > 0 && (
        <section class="wrap home-banners" aria-label={t.home.banners}>
          {banners.map(({ image, target }) => (
            <a
              href={target.startsWith('/') ? href(frame, target) : target}
              aria-label={fill(t.home.banner, { address: shortAddress(target) })}
            >
              <Picture image={image} sizes="(min-width: 720px) 560px, 100vw" />
            </a>
          ))}
        </section>
      )}
      {sections.map(({ title, slug, events }) => (
        <section class="wrap home-section" aria-labelledby={`section-${slug}`}>
          <h2 id={`section-${slug}`}>{title}</h2>
          <EventList frame={frame} t={t} events={events} layout="row" />
        </section>
      ))}
      <section class="wrap home-section" aria-labelledby="upcoming">
        <div class="home-section-head">
          <h2 id="upcoming">{t.home.upcoming}</h2>
          {!isEmpty && (
            <a class="more-link" href={href(frame, '/search')}>
              {t.common.allEvents} <Icon path={icons.arrow} size={18} />
            </a>
          )}
        </div>
        {isEmpty ? (
          <EmptyState icon={icons.ticket} title={t.home.empty} text={t.home.emptyText} />
        ) : (
          <EventList frame={frame} t={t} events={upcoming} layout="grid list" />
        )}
      </section>
    </>
  );
}

/** A banner has no text, so its link is named after the place that it leads to. */
const shortAddress = (target: string): string => target.replace(/^https?:\/\/(www\.)?/, '').replace(/[?#].*$/, '');

/** The picture, title and link that the platform has set for the home page. */
function Cover({ frame, t, cover }: PageProps & { cover: NonNullable<HomePage['cover']> }) {
  const { event, title } = cover;
  const image = cover.image ?? event?.poster.banner ?? null;
  const path = cover.path ?? event?.path ?? '/search';
  const address = path.startsWith('/') ? href(frame, path) : path;
  return (
    <section class="cover">
      {image && <Picture image={image} sizes="(min-width: 1180px) 1120px, 100vw" first />}
      <div class="cover-text">
        {event?.start && event.finish && (
          <p class="cover-kicker">
            {[event.title, dayRange(event.start, event.finish, frame.locale), event.city].filter(Boolean).join('\u00a0· ')}
          </p>
        )}
        <h1>{title ?? event?.title ?? t.home.welcome}</h1>
        <a class="button light" href={address}>
          {t.home.more} <Icon path={icons.arrow} size={18} />
        </a>
      </div>
    </section>
  );
}

const Welcome = ({ frame, t }: PageProps) => (
  <section class="welcome">
    <h1>{t.home.welcome}</h1>
    <p class="welcome-text">{t.home.welcomeText}</p>
    <a class="button" href={href(frame, '/search')}>
      {t.home.discover} <Icon path={icons.arrow} size={18} />
    </a>
  </section>
);
