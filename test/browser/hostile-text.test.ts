import type { Page, Route } from 'playwright-core';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { hasBrowser, useBrowser } from './use-browser.ts';

const shop = useBrowser();

/** Text that runs a script wherever it is not escaped. Each script sets the global `hit`. */
const hostile = `</script><script>hit=1</script><img src=x onerror=hit=1>"'><svg onload=hit=1>`;
const eventPath = '/en/event/noite-de-samba';

async function write(method: 'PUT' | 'POST', path: string, body: object, authorization = ''): Promise<{ id: number; secret: string }> {
  const response = await fetch(`${shop.service.origin}/v1${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...(authorization && { authorization }) },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
  return response.json() as Promise<{ id: number; secret: string }>;
}

/** Writes the text into every field of a producer that pages or mails show. Returns an item of the event. */
async function writeAsProducer(): Promise<number> {
  const { token } = await shop.service.logIn('producer@demo.test');
  const as = `Bearer ${token}`;
  const venue = { name: hostile, street: hostile, city: hostile, state: 'SP', country: 'BR' };
  const texts = { title: hostile, subtitle: hostile, description: `<p>${hostile}</p>`, accessibility: hostile, venue };
  await write('PUT', '/event/1', { ...texts, faq: [{ question: hostile, answer: hostile }] }, as);
  await write('PUT', '/producers/1', { name: hostile, description: hostile }, as);
  for (const { id } of await shop.query<{ id: string }>('select id from event_session where event_id = 1')) {
    await write('PUT', `/event/1/session/${id}`, { name: hostile.slice(0, 60) }, as);
  }
  const items = await shop.query<{ id: string; name: string }>('select id, name from item where event_id = 1');
  for (const { id } of items) await write('PUT', `/items/${id}`, { name: hostile, description: hostile }, as);
  return Number(items.find(({ name }) => name === 'Camarote')?.id);
}

/** Orders of a buyer with the text as name and document, one for each step of the order page. Returns their secrets by id. */
async function orderAsBuyer(itemId: number): Promise<Map<number, string>> {
  const secrets = new Map<number, string>();
  for (const step of ['payment', 'paid', 'refunded'] as const) {
    const buyer = { name: hostile, email: `${step}@example.com`, document: hostile.slice(0, 40) };
    const { id, secret } = await write('POST', '/orders', { eventId: 1, items: [{ itemId, quantity: 1 }], buyer });
    if (step !== 'payment') await write('POST', `/orders/${id}/payment`, { method: 'card', outcome: 'approve' }, `Order ${secret}`);
    if (step === 'refunded') await write('POST', `/orders/${id}/refund`, { reason: hostile }, `Order ${secret}`);
    secrets.set(id, secret);
  }
  return secrets;
}

/** The mails of these orders, as HTML. */
async function readMails(): Promise<string[]> {
  const { token } = await shop.service.logIn('admin@demo.test');
  const read = async <T>(path: string) => (await shop.service.call('GET', `/v1/mailbox${path}`, { token })).body as T;
  const list = () => read<{ data: { id: number; to: string }[] }>('?pageSize=50');
  const ofBuyers = async () => (await list()).data.filter(({ to }) => /(paid|refunded)@example\.com/.test(to));
  await vi.waitUntil(async () => new Set((await ofBuyers()).map(({ to }) => to)).size === 2, { timeout: 60_000, interval: 100 });
  return Promise.all((await ofBuyers()).map(async ({ id }) => (await read<{ html: string }>(`/${id}`)).html));
}

const unescaped = (html: string): string =>
  html
    .replaceAll('\\u003c', '<')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll(/&quot;|&#34;/g, '"')
    .replaceAll(/&#39;|&apos;/g, "'");

/** What the page would be if nothing had escaped its texts. */
async function undoEscaping(route: Route): Promise<void> {
  if (route.request().resourceType() !== 'document') return route.continue();
  const response = await route.fetch();
  await route.fulfill({ response, body: unescaped(await response.text()) });
}

/** Whether a script of the text has run. Its picture fails to load before the page counts as loaded. */
const wasHit = async (page: Page): Promise<boolean> => (await page.evaluate('globalThis.hit')) === 1;

describe.skipIf(!hasBrowser)('hostile text of a producer and a buyer', () => {
  let page: Page;
  let paths: string[];
  let mails: string[];

  beforeAll(async () => {
    const secrets = await orderAsBuyer(await writeAsProducer());
    // Without the policy of the pages, so that only the escaping protects.
    page = await shop.visit('/en/', { bypassCSP: true });
    for (const [id, secret] of secrets) {
      const opened = await page.request.post(`/v1/orders/${id}/session`, { headers: { authorization: `Order ${secret}` } });
      if (!opened.ok()) throw new Error(await opened.text());
    }
    const query = encodeURIComponent(hostile);
    const ofEvent = [eventPath, `${eventPath}?passkey=${query}`, '/embed/noite-de-samba'];
    const orders = [...secrets.keys()].map((id) => `/en/orders/${id}`);
    paths = ['/en/', '/en/search', `/en/search?q=${query}`, '/en/music', '/en/producer/1', ...ofEvent, ...orders];
    mails = await readMails();
  });

  it('runs no script on any page or in any mail', async () => {
    for (const path of paths) {
      // The scripts of the page render again when their data has arrived.
      await page.goto(path, { waitUntil: 'networkidle' });
      expect([path, await wasHit(page)]).toEqual([path, false]);
    }
    for (const mail of mails) {
      await page.goto('about:blank');
      await page.setContent(mail);
      expect(await wasHit(page)).toBe(false);
    }
  });

  it('control: runs a script on each page and in each mail if nothing is escaped', async () => {
    await page.route('**/*', undoEscaping);
    for (const path of paths) {
      await page.goto(path);
      expect([path, await wasHit(page)]).toEqual([path, true]);
    }
    for (const mail of mails) {
      await page.goto('about:blank');
      await page.setContent(unescaped(mail));
      expect(await wasHit(page)).toBe(true);
    }
  });

  it('the policy of the pages stops such scripts as well', async () => {
    const strict = await shop.visit(eventPath);
    await strict.route('**/*', undoEscaping);
    await strict.reload();
    expect(await strict.content()).toContain('<img src="x" onerror');
    expect(await wasHit(strict)).toBe(false);
  });
});
