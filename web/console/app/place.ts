import { useEffect, useState } from 'preact/hooks';

const base = '/console';

/** Where the reader is: the path after `/console`, without a slash at its end, and the query. */
export interface Place {
  path: string;
  query: URLSearchParams;
  /** Grows with every navigation, so that effects run again. */
  visit: number;
}

type QueryValues = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** The address of a screen. Empty values are left out: `to('/events/12/orders', { term: '' })` is `/console/events/12/orders`. */
export function to(path: string, query: QueryValues = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== '' && value !== false);
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return `${base}${path === '/' ? '/' : path}${text && `?${text}`}`;
}

let visit = 0;
const listeners = new Set<() => void>();

const read = (): Place => ({
  path: location.pathname.slice(base.length).replace(/\/+$/, '') || '/',
  query: new URLSearchParams(location.search),
  visit,
});

function changed(): void {
  visit += 1;
  for (const listener of listeners) listener();
}

interface NavigateOptions {
  /** Replaces the entry of the history, for example when a filter changes. */
  replace?: boolean;
}

/** Goes to an address from `to`. */
export function navigate(href: string, { replace = false }: NavigateOptions = {}): void {
  if (replace) history.replaceState(history.state, '', href);
  else {
    history.replaceState({ scroll: scrollY }, '');
    history.pushState({ scroll: 0 }, '', href);
  }
  changed();
}

/** Where the screen was scrolled to when the reader left it, for the back button. */
export const storedScroll = (): number => (history.state as { scroll?: number } | null)?.scroll ?? 0;

export function usePlace(): Place {
  const [place, setPlace] = useState(read);
  useEffect(() => {
    const update = () => setPlace(read());
    listeners.add(update);
    return () => void listeners.delete(update);
  }, []);
  return place;
}

/** Follows links of the console without loading the page again. Other links, new tabs and downloads are left to the browser. */
function followLink(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = (event.target as Element | null)?.closest?.('a');
  if (!link || link.target || link.hasAttribute('download') || link.origin !== location.origin) return;
  if (!link.pathname.startsWith(`${base}/`) || link.pathname.startsWith(`${base}/files/`)) return;
  if (link.hash !== '' && link.pathname === location.pathname) return;
  event.preventDefault();
  if (link.href !== location.href) navigate(link.href);
}

/** Call it once at the start. */
export function watchNavigation(): void {
  history.scrollRestoration = 'manual';
  addEventListener('popstate', changed);
  document.addEventListener('click', followLink);
}

/** Returns the parameters of the path, or null if the pattern does not match. A parameter whose name ends in `Id` is a number. */
export function matchPath(pattern: string, path: string): Record<string, string> | null {
  const wanted = pattern.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return null;
  const params: Record<string, string> = {};
  for (const [index, segment] of wanted.entries()) {
    const value = given[index] ?? '';
    if (!segment.startsWith(':')) {
      if (segment !== value) return null;
    } else if (segment.endsWith('Id') ? /^[1-9]\d{0,15}$/.test(value) : value !== '') params[segment.slice(1)] = value;
    else return null;
  }
  return params;
}
