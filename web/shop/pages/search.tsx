import type { SearchPage } from '../../../src/web/contract.ts';
import { fill, plural } from '../../messages/fill.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Field, TextField } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import * as icons from '../../ui/icons.ts';
import { Notice } from '../../ui/notice.tsx';
import { EventList } from '../event-card.tsx';
import { categoryName, href, type PageProps, withQuery } from '../page.ts';

type SearchProps = PageProps & { page: SearchPage };

export function searchTitle({ t, page }: Pick<SearchProps, 't' | 'page'>): string {
  if (page.filters.q !== '') return fill(t.search.titleFor, { term: page.filters.q });
  return page.category ? categoryName(t, page.category) : t.search.title;
}

export function Search({ frame, t, page }: SearchProps) {
  const { category, events, nextCursor } = page;
  const address = href(frame, category ? `/${category.slug}` : '/search');
  const { category: chosen, state, from, to } = queryOf(page);
  const active = [chosen, state, from || to].filter((value) => value !== '').length;
  return (
    <div class="wrap search-page">
      <div class="search-head">
        <h1>{searchTitle({ t, page })}</h1>
        <p class="soft">{plural(frame.locale, t.search.found, page.total)}</p>
      </div>
      <form class="search-again" action={address} role="search">
        <input
          class="input"
          type="search"
          name="q"
          maxLength={100}
          value={page.filters.q}
          placeholder={t.common.searchEvents}
          aria-label={t.search.term}
        />
        {/* A new word keeps the other filters. */}
        {Object.entries({ ...queryOf(page), q: '' }).map(
          ([name, value]) => value !== '' && <input type="hidden" name={name} value={value} />,
        )}
        <button class="button" type="submit" aria-label={t.common.search}>
          <Icon path={icons.search} />
        </button>
      </form>
      <div class="search-tools">
        <Presets frame={frame} t={t} page={page} address={address} />
        <details class="filters" open={page.invalid}>
          <summary class="chip">
            {t.search.filters}
            {active > 0 && ` (${active})`} <Icon path={icons.chevron} size={18} />
          </summary>
          <Filters frame={frame} t={t} page={page} address={address} />
        </details>
      </div>
      {page.invalid && <Notice tone="bad" title={t.search.invalid} alert />}
      {events.length === 0 ? (
        <EmptyState
          icon={icons.search}
          title={t.search.empty}
          text={t.search.emptyText}
          action={{ href: href(frame, '/search'), label: t.search.all }}
        />
      ) : (
        <EventList frame={frame} t={t} events={events} layout="grid list" level="h2" first />
      )}
      {nextCursor && (
        <a class="button secondary search-more" href={withQuery(address, { ...queryOf(page), cursor: nextCursor })}>
          {t.search.more}
        </a>
      )}
    </div>
  );
}

/** The filters as query parameters. The category of a category page is in its path. */
const queryOf = ({ filters, category }: SearchPage) => ({ ...filters, category: category ? '' : filters.category });

/** Links that set the dates with one tap. The active one removes them. */
function Presets({ t, page, address }: SearchProps & { address: string }) {
  const { from, to } = page.filters;
  const presets = Object.entries(page.presets) as [keyof SearchPage['presets'], { from: string; to: string }][];
  return (
    <div class="chips scrolling">
      {presets.map(([name, dates]) => {
        const isActive = dates.from === from && dates.to === to;
        const next = withQuery(address, { ...queryOf(page), ...(isActive ? { from: '', to: '' } : dates) });
        return (
          <a class="chip" href={next} {...(isActive && { 'aria-current': 'true' as const })}>
            {isActive && <Icon path={icons.check} size={18} />} {t.search[name]}
          </a>
        );
      })}
    </div>
  );
}

function Filters({ frame, t, page, address }: SearchProps & { address: string }) {
  const { filters, category, states } = page;
  return (
    <form class="filters-form" action={address}>
      <TextField id="q" name="q" type="search" label={t.search.term} value={filters.q} maxLength={100} />
      {!category && (
        <Field id="category" label={t.search.category}>
          {(attributes) => (
            <select class="input" name="category" {...attributes}>
              <option value="">{t.search.anyCategory}</option>
              {frame.categories.map((each) => (
                <option value={each.slug} selected={each.slug === filters.category}>
                  {categoryName(t, each)}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
      {states.length > 0 && (
        <Field id="state" label={t.search.state}>
          {(attributes) => (
            <select class="input" name="state" {...attributes}>
              <option value="">{t.search.anyState}</option>
              {states.map((state) => (
                <option value={state} selected={state === filters.state}>
                  {state}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
      <TextField id="from" name="from" type="date" label={t.search.from} value={filters.from} />
      <TextField id="to" name="to" type="date" label={t.search.to} value={filters.to} />
      <div class="filters-actions">
        <button class="button" type="submit">
          {t.search.apply}
        </button>
        <a class="clear-link" href={address}>
          {t.search.clear}
        </a>
      </div>
    </form>
  );
}
