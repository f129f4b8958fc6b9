import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { type ConsoleScreen, consoleScreens } from './console-screens.ts';
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
  // One window for each account, because opening a window takes longer than loading a screen.
  const windows = new Map<string | null, Promise<Window>>();
  const open = async (as: string | null): Promise<Window> => {
    const page = as === null ? await shop.visit('/console/', { locale: 'en' }) : await shop.signIn(as);
    return { page, errors: watchErrors(page), requests: countRequests(page) };
  };
  const windowOf = (as: string | null): Promise<Window> => {
    const window = windows.get(as) ?? open(as);
    windows.set(as, window);
    return window;
  };

  const looks = [
    ['pt-BR', 'light', 'phone', 'all'],
    ['en', 'dark', 'desktop', 'contrast'],
    ['es', 'light', 'narrow', 'none'],
  ] as const;

  it.each(Object.entries(consoleScreens))(
    '%s breaks no rule of axe and of its policy, in all languages and colours, and sends at most 3 requests',
    async (_name, { path, as, ready }: ConsoleScreen) => {
      const { page, errors, requests } = await windowOf(as);
      for (const [locale, colorScheme, size, rules] of looks) {
        await page.setViewportSize(screens[size]);
        await page.emulateMedia({ colorScheme });
        await page.evaluate(`localStorage.setItem('tessera-console-locale', '${locale}')`);
        // The address may differ only in its fragment, which loads nothing.
        await page.goto('about:blank');
        requests.since();
        await page.goto(`/console${path}`);
        await complete(page, ready);
        const sent = requests.since();
        expect(sent.length, sent.join(', ')).toBeLessThanOrEqual(3);
        expect([locale, errors]).toEqual([locale, []]);
        expect([locale, await violationsOf(page, rules)]).toEqual([locale, []]);
        expect([locale, await overflowOf(page), await cutOffIn(page)]).toEqual([locale, 0, []]);
        expect(await page.evaluate('document.documentElement.lang')).toBe(locale);
      }
    },
  );
});
