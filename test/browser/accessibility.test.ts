import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { cutOffIn, looks, overflowOf, violationsOf, watchErrors } from './page-checks.ts';
import { shopPages } from './pages.ts';
import { hasBrowser, screens, useBrowser } from './use-browser.ts';

const shop = useBrowser();

describe.skipIf(!hasBrowser)('pages', () => {
  // One window for all pages, because opening a window takes longer than loading a page.
  let page: Page;
  let errors: string[];
  beforeAll(async () => {
    page = await shop.visit('about:blank');
    errors = watchErrors(page);
  });

  it.each(Object.entries(shopPages))(
    '%s breaks no rule of axe and of its policy, in all languages and colours, at 320 px and with letters of twice the size',
    async (_name, path) => {
      for (const [locale, colorScheme, rules] of looks) {
        await page.setViewportSize(screens.narrow);
        await page.emulateMedia({ colorScheme });
        await page.goto(`/${locale}${path}`);
        expect([locale, errors]).toEqual([locale, []]);
        expect([locale, colorScheme, await violationsOf(page, rules)]).toEqual([locale, colorScheme, []]);
        expect([locale, await overflowOf(page)]).toEqual([locale, 0]);
        await page.setViewportSize(screens.phone);
        await page.evaluate("document.documentElement.style.fontSize = '200%'");
        expect([locale, await overflowOf(page), await cutOffIn(page)]).toEqual([locale, 0, []]);
      }
    },
  );

  it('control: the checks report a picture without a text, a button that is cut off, and a script that the policy refuses', async () => {
    await page.setViewportSize(screens.phone);
    await page.goto('/en/event/noite-de-samba');
    await page.evaluate("document.querySelector('main img').removeAttribute('alt')");
    expect((await violationsOf(page)).map((text) => text.split(':')[0])).toEqual(['image-alt']);
    await page.evaluate("document.querySelector('h1').style.color = '#ddd'");
    expect((await violationsOf(page, 'contrast')).map((text) => text.split(':')[0])).toEqual(['color-contrast']);
    await page.evaluate("document.querySelector('.stepper').style.marginRight = '-60px'");
    expect(await cutOffIn(page)).not.toEqual([]);
    await page.evaluate("document.body.append(Object.assign(document.createElement('img'), { src: 'http://other.example/a.png' }))");
    await expect.poll(() => errors.join()).toContain('Content Security Policy');
  });
});
