import { useEffect, useState } from 'preact/hooks';
import { fill } from '../../messages/fill.ts';
import { Icon } from '../../ui/icon.tsx';
import * as icons from '../../ui/icons.ts';
import { Dialog } from '../parts/dialog.tsx';
import { useConsole } from './console.ts';
import { eventNavigation, isAllowedIn, mainNavigation, visibleEntries } from './navigation.ts';
import { navigate, to } from './place.ts';
import { useData } from './use-data.ts';
import type { EventContext } from './use-event.ts';
import { routes } from './use-screen.ts';

interface Hit {
  href: string;
  title: string;
  about: string;
  icon: string;
}

export interface SearchProps {
  /** The event whose orders and screens are searched. */
  event: EventContext | null;
  onClose: () => void;
}

interface Group {
  title: string;
  hits: Hit[];
}

const typingMs = 180;
const shownHits = 6;

/** Waits until the reader stops typing, so that not every letter sends a request. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), typingMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

const plain = (text: string): string => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();

function useGroups(typed: string, event: EventContext | null): { groups: Group[]; loading: boolean } {
  const { client, t, can } = useConsole();
  const eventId = event?.event.id;
  const mayFindOrders = event?.can('order.read') ?? false;
  const term = useSettled(typed.trim());
  const events = useData(
    (signal) => client.events.list({ pageSize: shownHits, ...(term && { term }), fields: ['id', 'title', 'status', 'start'] }, { signal }),
    [term],
  );
  const orders = useData(
    async (signal) =>
      eventId && mayFindOrders && term.length > 1
        ? (await client.orders.list({ eventId, term, pageSize: shownHits }, { signal })).data
        : [],
    [term, eventId],
  );
  const entries = [
    ...(event ? visibleEntries(eventNavigation, routes, { eventId: String(eventId) }, isAllowedIn(event, can)) : []),
    ...visibleEntries(mainNavigation, routes, {}, isAllowedIn(null, can)),
  ];
  const screens = {
    title: t.search.screens,
    hits: entries
      .map(({ label, icon, path }): Hit => ({ href: to(path), title: t.nav[label], about: '', icon }))
      .filter(({ title }) => plain(title).includes(plain(typed.trim()))),
  };
  const foundOrders = {
    title: t.search.orders,
    hits: (orders.data ?? []).map(
      ({ id, buyer, status }): Hit => ({
        href: to(`/events/${eventId}/orders/${id}`),
        title: `${id}${buyer?.name ? ` · ${buyer.name}` : ''}`,
        about: [buyer?.email, status].filter(Boolean).join(' · '),
        icon: icons.receipt,
      }),
    ),
  };
  const foundEvents = {
    title: t.search.events,
    hits: (events.data?.data ?? []).map(
      ({ id, title, status }): Hit => ({ href: to(`/events/${id}`), title, about: t.status[status], icon: icons.calendar }),
    ),
  };
  // Enter must not open what the text before has found.
  const loading = term !== typed.trim() || events.loading || orders.loading;
  const groups = typed.trim() === '' ? [foundEvents, screens] : loading ? [screens] : [screens, foundOrders, foundEvents];
  return { groups: groups.filter(({ hits }) => hits.length > 0), loading };
}

/** Preact has no type for a search field with the role of a combobox. */
const combobox = (active: string | null): object => ({
  role: 'combobox',
  'aria-expanded': true,
  'aria-controls': 'search-hits',
  'aria-autocomplete': 'list',
  ...(active && { 'aria-activedescendant': active }),
});

/** One field for everything: events, orders of the event, and screens. Arrow keys choose, Enter opens. */
export function SearchDialog({ event, onClose }: SearchProps) {
  const { t } = useConsole();
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState(0);
  const { groups, loading } = useGroups(typed, event);
  const hits = groups.flatMap((group) => group.hits);
  const open = (hit: Hit | undefined) => {
    if (!hit) return;
    onClose();
    navigate(hit.href);
  };
  const listen = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Enter') open(hits[chosen]);
    if (step === undefined || hits.length === 0) return;
    event.preventDefault();
    setChosen((chosen + step + hits.length) % hits.length);
  };
  return (
    <Dialog title={t.search.title} shape="wide" onClose={onClose}>
      <div class="search" onKeyDown={listen}>
        <input
          class="input"
          type="search"
          {...combobox(hits.length > 0 ? `search-hit-${chosen}` : null)}
          aria-label={t.search.title}
          placeholder={t.search.placeholder}
          autocomplete="off"
          autofocus
          value={typed}
          onInput={(event) => {
            setTyped(event.currentTarget.value);
            setChosen(0);
          }}
        />
        <div id="search-hits" class="search-hits" role="listbox" aria-label={t.search.title} aria-busy={loading}>
          {groups.map((group) => (
            <div key={group.title} role="group" aria-label={group.title}>
              <p class="search-group" aria-hidden="true">
                {group.title}
              </p>
              {group.hits.map((hit) => (
                <div
                  key={hit.href}
                  id={`search-hit-${hits.indexOf(hit)}`}
                  class="search-hit"
                  role="option"
                  tabIndex={-1}
                  aria-selected={hit === hits[chosen]}
                  onClick={() => open(hit)}
                >
                  <Icon path={hit.icon} />
                  <span>{hit.title}</span>
                  <span class="soft small">{hit.about}</span>
                </div>
              ))}
            </div>
          ))}
          {hits.length === 0 && !loading && <p class="soft">{fill(t.search.nothing, { term: typed.trim() })}</p>}
        </div>
      </div>
    </Dialog>
  );
}
