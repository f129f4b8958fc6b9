import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { locales } from '../../src/kernel/locale.ts';
import { consoleScreens } from './console-screens.ts';
import { addFirstRows } from './first-rows.ts';
import { cutOffIn, overflowOf, violationsOf, watchErrors } from './page-checks.ts';
import { hasBrowser, screens } from './use-browser.ts';
import { complete, countRequests, useConsole } from './use-console.ts';

const shop = useConsole();

interface Window {
  page: Page;
  errors: string[];
  requests: ReturnType<typeof countRequests>;
}

describe.skipIf(!hasBrowser)('screens of the console', () => {
  // One window for each account, because opening a window takes longer than loading a screen. Windows that a test opens are closed after it.
  const windows = new Map<string | null, Window>();
  const open = async (as: string | null): Promise<Window> => {
    const page = as === null ? await shop.visit('/console/', { locale: 'en' }) : await shop.signIn(as);
    return { page, errors: watchErrors(page), requests: countRequests(page) };
  };
  beforeAll(async () => {
    await addFirstRows(shop);
    for (const as of new Set(Object.values(consoleScreens).map((screen) => screen.as))) windows.set(as, await open(as));
  });

  /** Each screen is loaded once, in one of the languages and one of the colour schemes. web/ui/contrast.test.ts checks the colours of both. */
  it.each(
    Object.entries(consoleScreens).map(
      ([name, screen], index) => [name, locales[index % locales.length] ?? 'en', index % 2 === 0 ? 'light' : 'dark', screen] as const,
    ),
  )(
    '%s (%s, %s) breaks no rule of axe and of its policy, fits on a phone, and sends at most 3 requests',
    async (_name, locale, colorScheme, { path, as, ready }) => {
      const { page, errors, requests } = windows.get(as) as Window;
      await page.evaluate(`localStorage.setItem('tessera-console-locale', '${locale}')`);
      await page.setViewportSize(screens.phone);
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      requests.since();
      await page.goto(`/console${path}`);
      await complete(page, ready);
      const sent = requests.since();
      expect(sent.length, sent.join(', ')).toBeLessThanOrEqual(3);
      expect(await page.evaluate('document.documentElement.lang')).toBe(locale);
      expect([await overflowOf(page), await cutOffIn(page)]).toEqual([0, []]);
      await page.setViewportSize(screens.narrow);
      expect(['320 px', await overflowOf(page)]).toEqual(['320 px', 0]);
      await page.setViewportSize(screens.desktop);
      expect(await violationsOf(page)).toEqual([]);
      expect(errors).toEqual([]);
    },
  );
});
