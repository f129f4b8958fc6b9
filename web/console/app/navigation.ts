import type { FrameMessages } from '../../messages/console/frame.en.ts';
import * as icons from '../../ui/icons.ts';
import type { Route } from './area.ts';
import type { ConsoleContext } from './console.ts';
import type { EventContext } from './use-event.ts';

interface NavigationEntry {
  /** The name of the entry in `nav` of the frame's texts. */
  label: keyof FrameMessages['nav'];
  icon: string;
  /** The path of the route that it leads to. The entry is shown if the route exists and the user may open it. */
  path: string;
}

/** Outside of an event. */
export const mainNavigation: readonly NavigationEntry[] = [
  { label: 'events', icon: icons.calendar, path: '/' },
  { label: 'producers', icon: icons.building, path: '/producers' },
  { label: 'platform', icon: icons.gear, path: '/platform' },
];

/** Inside an event. On a phone the first four are in the bottom bar, the others behind "More". */
export const eventNavigation: readonly NavigationEntry[] = [
  { label: 'overview', icon: icons.grid, path: '/events/:eventId' },
  { label: 'tickets', icon: icons.ticket, path: '/events/:eventId/tickets' },
  { label: 'orders', icon: icons.receipt, path: '/events/:eventId/orders' },
  { label: 'boxOffice', icon: icons.card, path: '/events/:eventId/box-office' },
  { label: 'waitingList', icon: icons.clock, path: '/events/:eventId/waiting-list' },
  { label: 'guests', icon: icons.people, path: '/events/:eventId/guests' },
  { label: 'door', icon: icons.scan, path: '/events/:eventId/door' },
  { label: 'accessCodes', icon: icons.key, path: '/events/:eventId/access-codes' },
  { label: 'codes', icon: icons.copy, path: '/events/:eventId/codes' },
  { label: 'reports', icon: icons.chart, path: '/events/:eventId/reports' },
  { label: 'exports', icon: icons.share, path: '/events/:eventId/exports' },
  { label: 'team', icon: icons.person, path: '/events/:eventId/team' },
  { label: 'settings', icon: icons.gear, path: '/events/:eventId/settings' },
];

interface Entry extends Pick<NavigationEntry, 'label' | 'icon'> {
  path: string;
}

/** Whether the user may open a screen: of the event, or outside of events. */
export const isAllowedIn =
  (event: EventContext | null, can: ConsoleContext['can']) =>
  (needs: Route['needs']): boolean =>
    needs === undefined || (event && needs !== 'admin' ? event.can(needs) : can(needs));

/** The entries that lead to a screen that the user may open, with the parameters of the path filled in. */
export function visibleEntries(
  entries: readonly NavigationEntry[],
  routes: readonly Route[],
  params: Readonly<Record<string, string>>,
  isAllowed: (needs: Route['needs']) => boolean,
): Entry[] {
  return entries.flatMap(({ label, icon, path }) => {
    const route = routes.find((candidate) => candidate.path === path);
    if (!route || !isAllowed(route.needs)) return [];
    return [{ label, icon, path: path.replaceAll(/:(\w+)/g, (_, name: string) => params[name] ?? '') }];
  });
}
