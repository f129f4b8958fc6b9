import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Frame, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, screens, useBrowser } from './use-browser.ts';

const shop = useBrowser();
let site: Server;

/** A site of somebody else. `localhost` and `127.0.0.1` are different sites. */
const siteAddress = () => `http://localhost:${(site.address() as AddressInfo).port}`;

const pages: Record<string, () => string> = {
  '/': () => `<script async src="${shop.service.origin}/embed.js" data-event="noite-de-samba" data-lang="pt-BR"></script>`,
  '/sessions': () => `<script async src="${shop.service.origin}/embed.js" data-event="hamlet-rio"></script>`,
  '/framed': () => `<iframe src="${shop.service.origin}/en/event/noite-de-samba"></iframe>`,
};

beforeAll(async () => {
  site = createServer((request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(`<!doctype html><html lang="en"><title>Another site</title><h1>Our party</h1>${pages[request.url ?? '']?.() ?? ''}`);
  });
  site.listen(0, 'localhost');
  await once(site, 'listening');
});
afterAll(() => site.close());

async function widgetOf(page: Page): Promise<Frame> {
  await expect.poll(() => page.frames().length).toBe(2);
  const frame = page.frames()[1] as Frame;
  await frame.locator('form.choice[data-live]').waitFor();
  return frame;
}

const heightOf = (page: Page): Promise<number> => page.evaluate("document.querySelector('iframe').clientHeight");
const contentOf = (frame: Frame): Promise<number> => frame.evaluate('document.body.offsetHeight');

describe.skipIf(!hasBrowser)('the widget on a page of another site', () => {
  it('shows the tickets in the height of its content, and follows when the content changes', async () => {
    const page = await shop.visit(siteAddress(), { viewport: screens.desktop });
    const widget = await widgetOf(page);
    await expect.poll(async () => (await heightOf(page)) - (await contentOf(widget))).toBe(0);
    const before = await heightOf(page);
    await page.setViewportSize(screens.narrow);
    await expect.poll(async () => (await heightOf(page)) > before && (await heightOf(page)) === (await contentOf(widget))).toBe(true);
    expect(await widget.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')).toBe(0);
  });

  it('opens the order in a new tab, with access to it', async () => {
    const page = await shop.visit(siteAddress());
    const widget = await widgetOf(page);
    await widget.getByRole('button', { name: 'Um a mais: Camarote' }).click();
    const [order] = await Promise.all([page.context().waitForEvent('page'), widget.getByRole('button', { name: 'Continuar' }).click()]);
    await order.waitForURL(`${shop.service.origin}/pt-BR/orders/*`);
    expect((await page.context().cookies(shop.service.origin)).map(({ name }) => name.replace(/\d+/, ''))).toEqual(['order-']);
    expect(page.url()).toBe(`${siteAddress()}/`);
    await expect.poll(() => widget.getByRole('button', { name: 'Continuar' }).count()).toBe(1);
  });

  it('lets buyers choose a session without leaving the page', async () => {
    const page = await shop.visit(`${siteAddress()}/sessions`);
    const widget = await widgetOf(page);
    const chosen = () => widget.locator('.session[aria-current]').getAttribute('href');
    const first = await chosen();
    await widget.locator('.session:not([aria-current])').first().click();
    await expect.poll(chosen).not.toBe(first);
    expect(page.frames()[1]?.url()).toContain('/embed/hamlet-rio?lang=en&session=');
  });

  it('ignores heights that other windows send', async () => {
    const page = await shop.visit(siteAddress());
    const widget = await widgetOf(page);
    await expect.poll(async () => (await heightOf(page)) - (await contentOf(widget))).toBe(0);
    const before = await heightOf(page);
    // The second message comes after the first, so the first was handled when the second arrives.
    await page.evaluate(`new Promise((resolve) => {
      postMessage({ type: 'tessera:height', height: 9999 }, '*');
      addEventListener('message', ({ data }) => data === 'last' && resolve());
      postMessage('last', '*');
    })`);
    expect(await heightOf(page)).toBe(before);
  });

  it('control: other pages of the shop cannot be shown in a frame', async () => {
    const page = await shop.visit(`${siteAddress()}/framed`);
    await expect.poll(() => page.frames()[1]?.url()).toMatch(/^chrome-error:/);
  });
});
