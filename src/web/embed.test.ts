import { describe, expect, it } from 'vitest';
import { useWorld } from '../../test/harness.ts';

const world = useWorld({ PUBLIC_URL: 'https://tickets.example' });
const open = (url: string) => world.app.inject({ url });

describe('GET /embed/{event}', () => {
  it('returns the tickets of the event, and may be shown in a frame by any site', async () => {
    // The second response comes from the page cache.
    for (const { statusCode, headers, body } of [await open('/embed/first-event?lang=pt'), await open('/embed/first-event?lang=pt')]) {
      expect(statusCode).toBe(200);
      expect(headers['content-security-policy']).toContain('frame-ancestors *;');
      expect(headers['x-frame-options']).toBeUndefined();
      expect(body).toContain('<html lang="pt-BR">');
      expect(body).toContain('<base target="_blank"');
      expect(body).toContain(`action="/pt-BR/event/${world.event}/orders"`);
      expect(body).not.toContain('<header class="site-header"');
    }
  });

  it('is in the language of the parameter lang, and in English otherwise', async () => {
    for (const [query, language] of [
      ['?lang=es-AR', 'es'],
      ['?lang=de', 'en'],
      ['', 'en'],
    ]) {
      expect((await open(`/embed/first-event${query}`)).body).toContain(`<html lang="${language}">`);
    }
  });

  it('returns 404 for an unknown event, which may not be shown in a frame', async () => {
    const { statusCode, headers } = await open('/embed/none');
    expect([statusCode, headers['content-security-policy']]).toEqual([404, expect.stringContaining("frame-ancestors 'none'")]);
  });

  it('control: other sites may show no other page in a frame, and this site only the home page', async () => {
    expect((await open('/en/')).headers['content-security-policy']).toContain("frame-ancestors 'self';");
    for (const path of ['/en/event/first-event', '/en/search', '/v1/event/find?link=first-event', '/embed.js']) {
      const { headers } = await open(path);
      expect([path, headers['content-security-policy']]).toEqual([path, expect.stringContaining("frame-ancestors 'none'")]);
      expect([path, headers['x-frame-options']]).toEqual([path, 'DENY']);
    }
  });
});

describe('GET /embed.js', () => {
  it('has less than 3 kB, may be loaded by other sites, and is kept for an hour', async () => {
    const { headers, rawPayload } = await open('/embed.js');
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=3600',
      'cross-origin-resource-policy': 'cross-origin',
    });
    expect(rawPayload.length).toBeLessThan(3_000);
  });
});
