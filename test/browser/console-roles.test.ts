import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { people } from '../../src/demo/people.ts';
import type { Permission } from '../../src/kernel/access.ts';
import { holders } from '../role-holders.ts';
import type { Caller } from '../world.ts';
import { consoleScreens, eventId } from './console-screens.ts';
import { addFirstRows } from './first-rows.ts';
import { hasBrowser } from './use-browser.ts';
import { useConsole } from './use-console.ts';

const shop = useConsole();

interface Route {
  path: string;
  needs?: Permission | 'admin';
  open?: true;
}

// The types of the web apps are not those of the tests, so the list is read without its types.
const listOfAreas = new URL('../../web/console/screens/areas.ts', import.meta.url).href;
const { areas } = (await import(listOfAreas)) as { areas: { routes: Route[] }[] };
const routes = areas.flatMap((area) => area.routes);

const patternOf = ({ path }: Route): RegExp => new RegExp(`^${path.replaceAll(/:\w+Id/g, '\\d+').replaceAll(/:\w+/g, '[^/]+')}$`);
const routeOf = (path: string): Route | undefined => routes.find((route) => patternOf(route).test(path.split(/[?#]/)[0] ?? ''));

/** The demo accounts by their role in the first producer and its first event. */
const accounts: Partial<Record<Caller, { email: string }>> = {
  admin: people.admin,
  owner: people.producer,
  manager: people.manager,
  crew_admin: people.crewAdmin,
  crew_sales_manager: people.sales,
  crew_sales_operator: people.boxOffice,
  crew_entrance_manager: people.doorManager,
  crew_entrance_operator: people.door,
  otherOwner: people.other,
};

type Shown = 'screen' | 'You may not see this' | 'Page not found';

/** What the access matrix says that a caller sees at this address. */
function expected(who: Caller, path: string, { path: pattern, needs }: Route): Shown {
  if (who === 'admin' || needs === undefined) return 'screen';
  if (needs === 'admin') return 'You may not see this';
  // The event is on sale, so everybody may read it, but only its own team sees its screens.
  if (pattern.includes(':eventId')) return holders[needs].includes(who) ? 'screen' : 'You may not see this';
  // Only members of a producer have permissions outside of events. The demo screens are those of the first producer.
  const isMember = who === 'owner' || who === 'manager' || (who === 'otherOwner' && !path.startsWith('/producers/'));
  const role = who === 'otherOwner' ? 'owner' : who;
  return isMember && holders[needs].includes(role) ? 'screen' : 'You may not see this';
}

/**
 * Opens a screen without loading the page again. The page waits for the screen itself, because asking it from here again and again takes
 * longer than most screens. A screen may replace its own address, for example with its first step. That is another visit.
 */
async function goTo(page: Page, path: string): Promise<Shown> {
  const heading: string = await page.evaluate(`(async () => {
    const visit = () => Number(document.querySelector('main').dataset.visit);
    const before = visit();
    history.pushState(null, '', '/console${path}');
    dispatchEvent(new PopStateEvent('popstate'));
    while (visit() === before || document.querySelector('.skeleton, [aria-busy=true]') || !document.querySelector('h1'))
      await new Promise(requestAnimationFrame);
    return document.querySelector('h1').innerText;
  })()`);
  return heading === 'You may not see this' || heading === 'Page not found' ? heading : 'screen';
}

const withoutQuery = (path: string): string => path.split('?')[0] ?? '';

/** Each screen once. The roles of the demo accounts belong to the first event. */
const protectedScreens = Object.entries(consoleScreens).flatMap(([name, { path, as }], index, all): [string, string, Route][] => {
  const route = routeOf(path);
  const isFirst = all.findIndex(([, other]) => withoutQuery(other.path) === withoutQuery(path) && other.as !== null) === index;
  const isElsewhere = /^\/events\/\d/.test(path) && !`${path}/`.startsWith(`/events/${eventId}/`);
  return as === null || !route || route.open || !isFirst || isElsewhere ? [] : [[name, path, route]];
});

describe.skipIf(!hasBrowser)('the roles in the console', () => {
  // The demo has no orders. This one has the id 1.
  beforeAll(() => addFirstRows(shop));

  it('every screen of the console is in the list that the browser tests open', () => {
    const opened = new Set(Object.values(consoleScreens).map(({ path }) => routeOf(path)?.path));
    // The sign-in is shown at every address, the set-up goes to its first step, and the demo has no mails.
    const unlisted = new Set(['/sign-in', '/events/:eventId/setup', '/platform/mailbox/:mailId']);
    expect(routes.map(({ path }) => path).filter((path) => !opened.has(path) && !unlisted.has(path))).toEqual([]);
  });

  it.each(Object.entries(accounts))('%s sees the screens that the access matrix allows, and their data', async (role, { email }) => {
    const who = role as Caller;
    const page = await shop.signIn(email);
    const refused: string[] = [];
    page.on('pageerror', (error) => refused.push(`${page.url()} ${error.message}`));
    page.on('response', (response) => {
      if (response.url().includes('/v1/') && [401, 403, 404].includes(response.status()))
        refused.push(`${response.status()} ${response.url()}`);
    });
    for (const [name, path, route] of protectedScreens) {
      const shown = expected(who, path, route);
      refused.length = 0;
      const seen = await goTo(page, path);
      // A screen that is shown asks for nothing that the role may not read.
      expect([name, seen, shown === 'screen' ? refused : []]).toEqual([name, shown, []]);
    }
  });
});
