import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { shopPages } from './pages.ts';
import { hasBrowser, screens, useBrowser } from './use-browser.ts';

const shop = useBrowser();

/** Returns the violations that axe finds, each with the element. */
async function violationsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run({ resultTypes: ['violations'] }));
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}

/** How far the page reaches beyond the right edge of the screen. */
const overflowOf = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');

/** axe is a script from outside, which the policy of the pages would refuse. */
const withAxe = { bypassCSP: true, viewport: screens.narrow };

/** Each language once, and both colour schemes. All six combinations would take twice as long and find nothing more. */
const looks = [
  ['pt-BR', 'light'],
  ['en', 'dark'],
  ['es', 'light'],
] as const;

describe.skipIf(!hasBrowser)('pages on a screen of 320 px', () => {
  it.each(Object.entries(shopPages))('%s follows the accessibility rules of axe, in all languages and colours', async (_name, path) => {
    for (const [locale, colorScheme] of looks) {
      const page = await shop.visit(`/${locale}${path}`, { ...withAxe, colorScheme });
      expect([locale, colorScheme, await violationsOf(page)]).toEqual([locale, colorScheme, []]);
      expect([locale, await overflowOf(page)]).toEqual([locale, 0]);
      await page.context().close();
    }
  });

  it('control: axe reports a picture without a text', async () => {
    const page = await shop.visit('/en/', withAxe);
    await page.evaluate("document.querySelector('main img').removeAttribute('alt')");
    expect((await violationsOf(page)).map((text) => text.split(':')[0])).toEqual(['image-alt']);
  });
});
