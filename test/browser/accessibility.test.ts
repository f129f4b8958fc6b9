import { describe, expect, it } from 'vitest';
import { forAxe, overflowOf, violationsOf } from './axe.ts';
import { shopPages } from './pages.ts';
import { hasBrowser, screens, useBrowser } from './use-browser.ts';

const shop = useBrowser();

/** The languages change texts and colours, but not the structure of a page. So only one of them needs all rules. */
const looks = [
  { locale: 'pt-BR', colorScheme: 'light', check: violationsOf },
  { locale: 'en', colorScheme: 'dark', check: (page) => violationsOf(page, 'color-contrast') },
  { locale: 'es', colorScheme: 'light', check: async () => [] },
] as const satisfies { locale: string; colorScheme: 'light' | 'dark'; check: typeof violationsOf }[];

describe.skipIf(!hasBrowser)('pages on a screen of 320 px', () => {
  it.each(looks)(
    'fit the screen and follow the accessibility rules of axe ($locale, $colorScheme)',
    async ({ locale, colorScheme, check }) => {
      const page = await shop.visit(`/${locale}/`, { ...forAxe, viewport: screens.narrow, colorScheme });
      for (const path of Object.values(shopPages)) {
        await page.goto(`/${locale}${path}`);
        expect([path, await check(page)]).toEqual([path, []]);
        expect([path, await overflowOf(page)]).toEqual([path, 0]);
      }
    },
  );

  it('control: axe reports a picture without a text and a text without contrast', async () => {
    const page = await shop.visit('/en/', forAxe);
    await page.evaluate("document.querySelector('main img').removeAttribute('alt')");
    await page.addStyleTag({ content: 'main h2 { color: #ddd; background: #fff }' });
    const rules = (await violationsOf(page)).map((text) => text.split(':')[0]);
    expect(new Set(rules)).toEqual(new Set(['image-alt', 'color-contrast']));
    const contrast = (await violationsOf(page, 'color-contrast')).map((text) => text.split(':')[0]);
    expect(new Set(contrast)).toEqual(new Set(['color-contrast']));
  });
});
