import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { LightMyRequestResponse } from 'fastify';
import { describe, expect, it, vi } from 'vitest';
import { useWorld } from '../../test/harness.ts';
import { shopOf } from '../../test/shop.ts';
import { allPagesTag } from '../http/page-cache.ts';
import { locales } from '../kernel/locale.ts';

const world = useWorld({ PUBLIC_URL: 'https://tickets.example' });
const shop = shopOf(world);

const open = (url: string, headers: Record<string, string> = {}): Promise<LightMyRequestResponse> => world.app.inject({ url, headers });
const jsonIn = (html: string, type: string): unknown =>
  JSON.parse(new RegExp(`<script[^>]*type="application/${type}"[^>]*>(.*?)</script>`).exec(html)?.[1] ?? 'null');
const header = ({ headers }: LightMyRequestResponse, name: string): string => String(headers[name] ?? '');

async function cancelledEvent(): Promise<string> {
  const { id, link } = await shop.write<{ id: number; link: string }>('POST', '/event', {
    producerId: world.producer,
    title: 'Rained out',
    category: 'music',
    timezone: 'America/Sao_Paulo',
  });
  await shop.write('POST', `/event/${id}/session`, { name: 'Night', start: '2026-06-02 20:00:00', finish: '2026-06-02 23:00:00' });
  await shop.write('POST', `/event/${id}/publish`, {});
  await shop.write('POST', `/event/${id}/cancel`, { reason: 'Rain', refund: false });
  return link;
}

describe('addresses', () => {
  it('GET / redirects to the language that the browser prefers, and English otherwise', async () => {
    expect((await open('/', { 'accept-language': 'pt-PT,pt;q=0.9' })).headers.location).toBe('/pt-BR/');
    expect((await open('/', { 'accept-language': 'de' })).headers.location).toBe('/en/');
    const link = await open('/event/first-event?passkey=A', { 'accept-language': 'es' });
    expect([link.statusCode, link.headers.location, link.headers.vary]).toEqual([
      302,
      '/es/event/first-event?passkey=A',
      'accept-language',
    ]);
  });

  it('an earlier link or the id of an event redirects to its link', async () => {
    expect((await open(`/en/event/${world.event}`)).headers.location).toBe('/en/event/first-event');
  });

  it.each(locales)('/%s/ has its language, its canonical address and its addresses in the other languages', async (locale) => {
    const { body, statusCode } = await open(`/${locale}/`);
    expect(statusCode).toBe(200);
    expect(body).toContain(`<html lang="${locale}">`);
    expect(body).toContain(`<link rel="canonical" href="https://tickets.example/${locale}/"`);
    for (const other of locales) expect(body).toContain(`hreflang="${other}" href="https://tickets.example/${other}/"`);
  });

  it('pages do not depend on cookies or on the preferred language', async () => {
    const [first, second] = [await open('/en/'), await open('/en/', { cookie: 'a=b', 'accept-language': 'pt' })];
    expect(first.body).toBe(second.body);
    expect(first.headers.vary).toBe('accept-encoding');
  });
});

describe('pages', () => {
  it('the home page shows banners with their links, in the language of the page', async () => {
    const image = 'https://images.example.com/summer.jpg';
    const banner = await world.call('POST', '/featured', { as: 'admin', body: { target: '/music', image } });
    expect((await open('/en/')).body).toMatch(
      /<a href="\/en\/music" aria-label="Open \/music"><picture><img src="https:\/\/images\.example\.com\/summer\.jpg"/,
    );
    await world.call('DELETE', `/featured/${banner.json<{ id: number }>().id}`, { as: 'admin' });
    expect((await open('/en/')).body).not.toContain(image);
  });

  it('the home page and the search list published events, and filters are in the address', async () => {
    expect((await open('/en/')).body).toContain('href="/en/event/first-event"');
    expect((await open('/en/search?q=sibling')).body).toContain('/en/event/sibling-event');
    expect((await open('/en/search?q=sibling')).body).not.toContain('/en/event/first-event');
    expect((await open('/en/music?state=SP')).body).toContain('/en/event/first-event');
    expect((await open('/en/music?state=RJ')).body).toContain('Nothing matches these filters.');
    expect((await open('/en/search?from=2026-02-31')).statusCode).toBe(400);
    // A new word keeps the other filters.
    expect((await open('/en/search?q=sibling&state=SP')).body).toContain('<input type="hidden" name="state" value="SP"');
  });

  it('the event page shows the total first, then the price and the fee that it consists of', async () => {
    const { body } = await open('/pt-BR/event/first-event');
    const text = body.replaceAll(/\s/g, ' ').replaceAll('&nbsp;', ' ');
    expect(text).toMatch(/<strong>R\$ 55,00<\/strong><span class="ticket-fee">R\$ 50,00 \+ R\$ 5,00 de taxa<\/span>/);
  });

  it('the event page describes the event for search engines, with the total price', async () => {
    const event = jsonIn((await open('/en/event/first-event')).body, 'ld\\+json');
    expect(event).toMatchObject({
      '@type': 'Event',
      name: 'first-event',
      startDate: '2026-06-01T23:00:00.000Z',
      location: { name: 'Hall', address: { addressLocality: 'São Paulo' } },
      offers: [{ price: '55.00', priceCurrency: 'BRL', availability: 'https://schema.org/InStock' }],
    });
  });

  it('the event page does not offer items of imported codes, which others sell; the API lists them', async () => {
    await shop.newItem({ item: { type: 'external', name: 'Sold by a partner' } });
    expect((await open('/en/event/first-event?session=77')).body).not.toContain('Sold by a partner');
    expect((await open(`/v1/event/${world.event}/tickets`)).body).toContain('Sold by a partner');
  });

  it('the producer page lists the events of the producer', async () => {
    const { body } = await open(`/es/producer/${world.producer}`);
    expect(body).toContain('/es/event/first-event');
    expect(body).not.toContain('/es/event/foreign-event');
  });

  it('the producer page shows the logo and the new name of the producer at once', async () => {
    const path = `/en/producer/${world.otherProducer}`;
    expect((await open(path)).body).toContain('<span aria-hidden="true">');
    const profile = { name: 'Renamed organizer', logo: 'https://cdn.example/logo.png' };
    const drop = vi.spyOn(world.app.pageCache, 'drop');
    await world.call('PUT', `/producers/${world.otherProducer}`, { as: 'otherOwner', body: profile });
    expect(drop).toHaveBeenCalledWith(allPagesTag);
    const { body } = await open(path);
    expect(body).toContain('<h1>Renamed organizer</h1>');
    expect(body).toContain('src="https://cdn.example/logo.png"');
  });

  it('the weekend of the search is counted in the time zone of the events', async () => {
    const before = world.now;
    // In UTC it is already Monday. In São Paulo it is the evening of Sunday, 1 March.
    world.now = new Date('2026-03-02T01:00:00Z');
    expect((await open('/en/search')).body).toContain('from=2026-03-01&amp;to=2026-03-01');
    world.now = before;
  });

  it('a change of the language keeps the filters and the session', async () => {
    expect((await open('/en/search?q=samba&state=SP')).body).toContain('href="/es/search?q=samba&amp;state=SP"');
    expect((await open('/en/event/first-event?session=1')).body).toContain('href="/pt-BR/event/first-event?session=1"');
  });

  it('sitemap.xml lists the pages, robots.txt names the sitemap', async () => {
    expect((await open('/sitemap.xml')).body).toContain('<loc>https://tickets.example/es/event/first-event</loc>');
    expect((await open('/robots.txt')).body).toContain('Sitemap: https://tickets.example/sitemap.xml');
  });

  it('unknown pages and drafts return 404, cancelled events 410, with a page that helps', async () => {
    for (const path of ['/pt-BR/none', '/pt-BR/event/none', '/pt-BR/a/b/c', '/pt-BR/producer/x']) {
      const page = await open(path);
      expect([path, page.statusCode]).toEqual([path, 404]);
      expect(page.body).toContain('Não encontramos esta página.');
      expect(page.body).toContain('action="/pt-BR/search"');
    }
    const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8', 'accept-language': 'es-AR' };
    const withoutLanguage = await open('/nothing', html);
    expect([withoutLanguage.statusCode, withoutLanguage.body.includes('No encontramos esta página.')]).toEqual([404, true]);
    for (const [path, headers] of [
      ['/nothing', {}],
      ['/v1/no/such/path', html],
    ] as const) {
      const answer = await open(path, headers);
      expect([path, answer.statusCode, header(answer, 'content-type')]).toEqual([
        path,
        404,
        expect.stringContaining('application/problem+json'),
      ]);
    }
    const cancelled = await open(`/en/event/${await cancelledEvent()}`);
    expect([cancelled.statusCode, cancelled.body.includes('This event was cancelled.')]).toEqual([410, true]);
    expect(cancelled.body).not.toContain('name="eventId"');
  });

  it.each(['/en/search?q=%00', '/en/event/%00', '/en/search?q=%ED%A0%80', '/en/search?cursor=x', '/en/producer/1?cursor=x'])(
    '%s returns a page, not an internal error',
    async (path) => {
      const { statusCode, headers } = await open(path);
      expect(statusCode).toBeLessThan(500);
      expect(headers['content-type']).toContain('text/html');
    },
  );
});

describe('security', () => {
  it('pages have a strict policy that allows only their own styles and scripts of this site', async () => {
    const page = await open('/en/event/first-event');
    const policy = header(page, 'content-security-policy');
    expect(policy).toContain("default-src 'none';script-src 'self';style-src 'sha256-");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(header(page, 'referrer-policy')).toBe('same-origin');
    expect(header(page, 'permissions-policy')).toContain('camera=()');
    // A style attribute or an inline script would not work under this policy.
    expect(page.body).not.toMatch(/\sstyle=|\son\w+=|<script(?![^>]*(src=|type="application\/))/);
  });

  it('text of producers cannot leave its place in the page', async () => {
    const text = '</script><script>alert(1)</script><img src=x onerror=alert(1)>"\'';
    await shop.write('PUT', `/event/${world.siblingEvent}`, { title: text, faq: [{ question: text, answer: text }], accessibility: text });
    const { body } = await open('/en/event/sibling-event');
    expect(body).not.toMatch(/<script>alert|<img src=x|<\/script><script>alert/);
    expect(jsonIn(body, 'ld\\+json')).toMatchObject({ name: text });
  });

  it('a form from another site is refused', async () => {
    const form = { method: 'POST' as const, url: '/en/orders', payload: `eventId=${world.event}&item-${world.item}=1` };
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'cross-site' };
    expect((await world.app.inject({ ...form, headers })).statusCode).toBe(403);
  });
});

describe('caching', () => {
  it('a page is compressed as the browser accepts it, and each encoding has its own tag', async () => {
    const plain = await open('/en/event/first-event');
    const br = await open('/en/event/first-event', { 'accept-encoding': 'gzip, deflate, br' });
    const gzip = await open('/en/event/first-event', { 'accept-encoding': 'gzip, br;q=0' });
    expect([br.headers['content-encoding'], gzip.headers['content-encoding']]).toEqual(['br', 'gzip']);
    expect(brotliDecompressSync(br.rawPayload).toString()).toBe(plain.body);
    expect(gunzipSync(gzip.rawPayload).toString()).toBe(plain.body);
    expect(new Set([plain, br, gzip].map((page) => header(page, 'etag'))).size).toBe(3);
    const again = await open('/en/event/first-event', { 'accept-encoding': 'br', 'if-none-match': header(br, 'etag') });
    expect([again.statusCode, again.rawPayload.length]).toEqual([304, 0]);
  });

  it('parameters that no page reads, such as those of advertisements, do not make another page for the cache', async () => {
    const path = '/en/event/first-event';
    const share = vi.spyOn(world.app.pageCache, 'share');
    const urls = [path, `${path}?utm_source=mail&fbclid=1`, `${path}?fbclid=2&session=1`, `${path}?session=1`, `${path}?%73ession=1`];
    const pages = await Promise.all(urls.map((url) => open(url)));
    const keys = share.mock.calls.map(([key]) => key).filter((key) => key.startsWith(path));
    share.mockRestore();
    expect(pages[1]?.body).toBe(pages[0]?.body);
    expect(keys).toEqual([path, path, `${path}?session=1`, `${path}?session=1`, `${path}?%73ession=1`].map((key) => `${key} identity`));
  });

  it('a page shows a change at once, and shared caches may keep it for a second', async () => {
    const before = await open('/en/event/foreign-event');
    expect(header(before, 'cache-control')).toBe('public, max-age=0, s-maxage=1, stale-while-revalidate=5');
    await world.call('PUT', `/event/${world.foreignEvent}`, { as: 'otherOwner', body: { title: 'Renamed' } });
    expect((await open('/en/event/foreign-event')).body).toContain('<h1>Renamed</h1>');
  });

  it('pages of an event with different queries share what they read, and all of them show a change at once', async () => {
    const path = '/en/event/foreign-event';
    const share = vi.spyOn(world.app.pageCache, 'share');
    world.app.pageCache.drop(allPagesTag);
    // Time stands still, because a slow machine would read again after half a second.
    vi.useFakeTimers({ toFake: ['performance'] });
    for (const session of [1, 2, 3]) expect((await open(`${path}?session=${session}`)).statusCode).toBe(200);
    const reads = share.mock.calls.map(([key]) => key).filter((key) => key === 'shared read event foreign-event');
    share.mockRestore();
    vi.useRealTimers();
    expect(reads).toHaveLength(1);
    await world.call('PUT', `/event/${world.foreignEvent}`, { as: 'otherOwner', body: { title: 'Renamed again' } });
    expect((await open(`${path}?session=4`)).body).toContain('<h1>Renamed again</h1>');
    expect((await open(`${path}?passkey=WRONG`)).body).toContain('<h1>Renamed again</h1>');
  });

  it('a page is as old as the oldest read that it shows, so it is never more than a second out of date', async () => {
    const keep = vi.spyOn(world.app.pageCache, 'keep');
    world.app.pageCache.drop(allPagesTag);
    vi.useFakeTimers({ toFake: ['performance'] });
    const before = performance.now();
    await open('/en/event/first-event?session=801');
    vi.advanceTimersByTime(300);
    await open('/en/event/first-event?session=802');
    vi.useRealTimers();
    const ages = keep.mock.calls.map(([, { at }]) => at - before);
    keep.mockRestore();
    expect(ages).toEqual([0, 0]);
  });

  it('scripts have a hash in their name and may be kept forever', async () => {
    const src = /<script type="module" src="([^"]+)"/.exec((await open('/en/event/first-event')).body)?.[1] ?? '';
    const script = await open(src, { 'accept-encoding': 'br' });
    expect(script.statusCode).toBe(200);
    expect(header(script, 'cache-control')).toBe('public, max-age=31536000, immutable');
    expect(header(script, 'content-encoding')).toBe('br');
  });
});

describe('size', () => {
  it('the scripts of the event page have at most 15 kB, compressed with gzip', async () => {
    const { body } = await open('/en/event/first-event');
    const addresses = [...body.matchAll(/<(?:script type="module" src|link rel="modulepreload" href)="([^"]+)"/g)].map(
      (match) => match[1] ?? '',
    );
    const scripts = await Promise.all(addresses.map((address) => open(address, { 'accept-encoding': 'gzip' })));
    expect(addresses.length).toBeGreaterThan(0);
    expect(scripts.reduce((sum, { rawPayload }) => sum + rawPayload.length, 0)).toBeLessThan(15_000);
  });

  it('the other pages have no script', async () => {
    for (const path of ['/en/', '/en/search', '/en/music', `/en/producer/${world.producer}`]) {
      expect((await open(path)).body).not.toContain('<script type="module"');
    }
  });
});

describe('POST /{locale}/orders', () => {
  const order = (fields: Record<string, string | number>) =>
    world.app.inject({
      method: 'POST',
      url: '/en/orders',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
      payload: new URLSearchParams(Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)])).toString(),
    });

  it('places the order and sends the browser to its page, with the secret in a cookie', async () => {
    const placed = await order({ eventId: world.event, [`item-${world.item}`]: 2 });
    expect(placed.statusCode).toBe(303);
    const id = Number(/^\/en\/orders\/(\d+)$/.exec(header(placed, 'location'))?.[1]);
    const [, secret] =
      /^__Host-order-\d+=([\w-]+); Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax; Secure$/.exec(header(placed, 'set-cookie')) ?? [];
    const { lines, status } = (await world.call('GET', `/orders/${id}?secret=${secret}`)).json();
    expect([status, lines[0].quantity]).toEqual(['held', 2]);
  });

  it('shows the event page again with the reason and the chosen quantities', async () => {
    const few = await shop.newItem({ item: { name: 'Few', quantity: 1 }, available: 1 });
    const refused = await order({ eventId: world.event, [`item-${few}`]: 2, [`item-${world.item}`]: 1 });
    expect(refused.statusCode).toBe(409);
    expect(refused.body).toContain('Someone was faster');
    expect(refused.body).toContain('Few: 1 left');
    expect(jsonIn(refused.body, 'json')).toMatchObject({ choice: { chosen: { [few]: 2, [world.item]: 1 } } });
    expect(header(refused, 'cache-control')).toBe('no-store');
  });

  it.each([
    ['nothing is chosen', {}, 422, 'Choose at least one ticket.'],
    ['more is chosen than the item allows', { quantity: 7 }, 422, 'This choice is not possible.'],
  ])('says so if %s', async (_case, { quantity = 0 }: { quantity?: number }, status, text) => {
    const refused = await order({ eventId: world.event, [`item-${world.item}`]: quantity });
    expect([refused.statusCode, refused.body.includes(text)]).toEqual([status, true]);
  });

  it('an order for an event that does not exist shows the page for 404', async () => {
    expect((await order({ eventId: world.missing, 'item-1': 1 })).statusCode).toBe(404);
  });
});

describe('access codes', () => {
  it('a code in the address reveals its tickets, and such a page is not cached', async () => {
    const hidden = await shop.newItem({ item: { name: 'Friends', hidden: true } });
    await world.call('PUT', `/passkeys/${world.passkey}/items`, { as: 'owner', body: { itemIds: [hidden] } });
    expect((await open('/en/event/first-event')).body).not.toContain('Friends');
    const page = await open('/en/event/first-event?passkey=open%20sesame');
    expect(page.body).toContain('Friends');
    expect(page.body).toContain(`name="passkey" value="open sesame"`);
    expect(header(page, 'cache-control')).toBe('no-store');
  });

  it('a wrong code says so at its field, above the tickets', async () => {
    const { body } = await open('/en/event/first-event?passkey=wrong');
    expect(body.indexOf('This code is not valid for this event.')).toBeGreaterThan(0);
    expect(body.indexOf('This code is not valid for this event.')).toBeLessThan(body.indexOf('id="ticket-choice"'));
    expect(body).toContain('aria-invalid');
  });
});
