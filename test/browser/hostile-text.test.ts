import { describe, expect, it } from 'vitest';
import { hasBrowser, useBrowser } from './use-browser.ts';

const shop = useBrowser();

/** Text that runs a script wherever it is not escaped. Each script sets the global `hit`. */
const hostile = `</script><script>hit=1</script><img src=x onerror=hit=1>"'><svg onload=hit=1>{{hit=1}}javascript:hit=1`;

async function put(path: string, body: object): Promise<void> {
  const { token } = await shop.service.logIn('producer@demo.test');
  const response = await fetch(`${shop.service.origin}/v1${path}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
}

describe.skipIf(!hasBrowser)('hostile text of a producer', () => {
  it('runs no script on any page, with and without the policy of the pages', async () => {
    const event = { title: hostile, subtitle: hostile, description: `<p>${hostile}</p>`, accessibility: hostile };
    await put('/event/1', { ...event, faq: [{ question: hostile, answer: hostile }] });
    await put('/producers/1', { description: hostile });
    for (const bypassCSP of [false, true]) {
      for (const path of ['/', '/search', '/music', '/event/noite-de-samba', '/producer/1', `/search?q=${encodeURIComponent(hostile)}`]) {
        const page = await shop.visit(`/en${path}`, { bypassCSP });
        await page.waitForLoadState('networkidle');
        expect([path, await page.evaluate('globalThis.hit')]).toEqual([path, undefined]);
        await page.context().close();
      }
    }
  });

  it('control: the text runs a script if it is put into a page as markup', async () => {
    const page = await shop.visit('/en/', { bypassCSP: true });
    await page.evaluate((text) => {
      const { document } = globalThis as unknown as { document: { body: { innerHTML: string } } };
      document.body.innerHTML = text;
    }, hostile);
    await expect.poll(() => page.evaluate('globalThis.hit')).toBe(1);
  });
});
