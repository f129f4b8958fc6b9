import type { Page } from 'playwright-core';
import { demoPassword } from '../../src/demo/people.ts';
import { type BrowserShop, screens, useBrowser } from './use-browser.ts';

export interface ConsoleBrowser extends BrowserShop {
  /** Opens the console in a new context and signs in. `path` is after `/console`. */
  signIn(email: string, path?: string): Promise<Page>;
}

/** Starts the service with the demo data and a browser. Call it once at the top of a test file. The parameters are those of `useBrowser`. */
export function useConsole(...options: Parameters<typeof useBrowser>): ConsoleBrowser {
  const shop = useBrowser(...options);
  const signIn: ConsoleBrowser['signIn'] = async (email, path = '/') => {
    const page = await shop.visit(`/console${path}`, { viewport: screens.desktop, locale: 'en' });
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password').fill(demoPassword);
    await page.keyboard.press('Enter');
    await page.waitForSelector('.top');
    return page;
  };
  return Object.assign(shop, { signIn });
}

/** Waits until a screen has loaded its data. */
export async function complete(page: Page, ready = 'h1'): Promise<void> {
  await page.waitForSelector(ready);
  // A selector, because the policy of the page refuses functions that are made from text.
  await page.waitForSelector('html:not(:has(.skeleton, [aria-busy=true]))', { state: 'attached' });
}

/** Counts the requests to the API for each screen, without those of the session. */
export function countRequests(page: Page): { since(): string[] } {
  let sent: string[] = [];
  page.on('request', (request) => {
    const path = new URL(request.url()).pathname;
    if (path.startsWith('/v1/') && !/^\/v1\/auth\/(refresh|me|login)/.test(path)) sent.push(`${request.method()} ${path}`);
  });
  return {
    since: () => {
      const before = sent;
      sent = [];
      return before;
    },
  };
}
