import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditOf } from '../../../test/audit.ts';
import { useWorld } from '../../../test/harness.ts';
import { pictureForm, png, pngChunk } from '../../../test/pictures.ts';
import { createGate } from '../../accounts/gate.ts';
import { scopes } from '../../app.ts';
import type { Event } from '../../events/event-schemas.ts';
import { events } from '../../events/routes.ts';
import type { Cover, FeaturedEntry } from '../../home/contract.ts';
import { mount } from '../../http/mount.ts';
import { createServer } from '../../http/server.ts';
import { drawMosaic } from '../../kernel/mosaic.ts';
import type { Picture } from '../../kernel/picture.ts';
import { readEvent } from '../../storefront/event.ts';
import { openFiles } from '../files/open-files.ts';
import { countUnusedPictures, receivePictures, removeUnusedPictures } from './picture-store.ts';

const world = useWorld();
const folder = () => join(world.config.dataDir, 'files', 'pictures');
const storedFiles = (): string[] => (existsSync(folder()) ? readdirSync(folder()).toSorted() : []);
const storedRows = async () => (await world.db.selectFrom('picture').select('id').orderBy('id').execute()).map(({ id }) => id);

/** A picture whose left half has one colour and whose right half has another. */
const twoColors = (width: number, height: number, [left, right] = ['#c81e1e', '#1e3cc8']) =>
  sharp({ create: { width, height, channels: 3, background: left ?? '' } }).composite([
    {
      input: { create: { width: Math.floor(width / 2), height, channels: 3, background: right ?? '' } },
      left: Math.ceil(width / 2),
      top: 0,
    },
  ]);

const upload = (content: Buffer | string, path = `/event/${world.event}/poster`, headers: Record<string, string> = {}) => {
  const sent = pictureForm(content);
  return world.call('POST', path, { as: 'admin', body: sent.body, headers: { ...sent.headers, ...headers } });
};
const eventOf = async (id = world.event) => (await world.call('GET', `/event/${id}`, { as: 'owner' })).json<Event>();
const fetchPicture = (url: string, headers: Record<string, string> = {}) => world.app.inject({ url, headers });
const addressesOf = ({ webp, avif }: Picture): string[] =>
  [webp, avif ?? '']
    .join(', ')
    .split(', ')
    .map((each) => each.split(' ')[0] ?? '');

describe('POST /event/{id}/poster', () => {
  it.each(['jpeg', 'png', 'webp', 'avif'] as const)('stores a picture in the format %s as WebP and AVIF in four widths', async (format) => {
    const response = await upload(await twoColors(2000, 500).toFormat(format, { effort: 1 }).toBuffer());
    expect(response.statusCode).toBe(201);
    const picture = response.json<Picture>();
    expect(picture).toMatchObject({ width: 1920, height: 480, color: expect.stringMatching(/^#7[0-9a-f]2[0-9a-f]7[0-9a-f]$/) as string });
    expect([...picture.webp.matchAll(/ (\d+)w/g)].map(([, width]) => Number(width))).toEqual([320, 640, 1080, 1920]);
    for (const address of addressesOf(picture)) {
      const file = await fetchPicture(address);
      const { width, height, format: stored } = await sharp(file.rawPayload).metadata();
      expect(address).toContain(`-${width}.${stored === 'heif' ? 'avif' : stored}`);
      expect(height).toBe((width ?? 0) / 4);
    }
    expect(await auditOf(world, response)).toMatchObject([{ operation: 'uploadPoster' }]);
  });

  it('does not enlarge a small picture', async () => {
    const picture = (await upload(await twoColors(500, 400).png().toBuffer())).json<Picture>();
    expect(picture).toMatchObject({ width: 500, height: 400, webp: expect.stringMatching(/320w, \S+ 500w$/) as string });
  });

  it('turns the picture upright and removes its metadata', async () => {
    const exif = { IFD0: { Copyright: 'SECRET-COPYRIGHT' }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 0/1' } };
    const source = await twoColors(800, 400).withExif(exif).withMetadata({ orientation: 6 }).jpeg().toBuffer();
    const bytes = await sharp(source).keepExif().withExifMerge(exif).jpeg().toBuffer();
    expect(bytes.includes('SECRET-COPYRIGHT')).toBe(true);
    const picture = (await upload(bytes)).json<Picture>();
    expect(picture).toMatchObject({ width: 400, height: 800 });
    for (const address of addressesOf(picture)) {
      const { rawPayload } = await fetchPicture(address);
      const { exif: kept, orientation, icc, xmp } = await sharp(rawPayload).metadata();
      expect({ kept, orientation, icc, xmp }).toEqual({});
      expect(rawPayload.includes('SECRET-COPYRIGHT')).toBe(false);
    }
    // Control: without these two steps the picture lies on its side, and its metadata is kept.
    const unturned = await sharp(bytes).keepMetadata().webp().toBuffer();
    expect(await sharp(unturned).metadata()).toMatchObject({ width: 800, exif: expect.any(Buffer) as Buffer });
    expect(unturned.includes('SECRET-COPYRIGHT')).toBe(true);
  });

  it('stores nothing of what follows the picture in the file', async () => {
    const tail = '<script>alert("POLYGLOT")</script>PK\x03\x04POLYGLOT';
    for (const format of ['jpeg', 'png', 'webp'] as const) {
      const bytes = Buffer.concat([await twoColors(200, 100).toFormat(format).toBuffer(), Buffer.from(tail)]);
      const response = await upload(bytes);
      expect(response.statusCode, format).toBe(201);
      for (const address of addressesOf(response.json<Picture>()))
        expect((await fetchPicture(address)).rawPayload.includes('POLYGLOT'), address).toBe(false);
    }
    // Control: the search finds the tail in a file that was stored as it was sent.
    expect(Buffer.concat([await twoColors(200, 100).png().toBuffer(), Buffer.from(tail)]).includes('POLYGLOT')).toBe(true);
  });

  it('gives the same address to the same picture, and stores its files once', async () => {
    const bytes = await twoColors(300, 300, ['#112233', '#445566']).png().toBuffer();
    const first = (await upload(bytes)).json<Picture>();
    const before = storedFiles();
    expect((await upload(bytes, `/event/${world.siblingEvent}/poster`)).json()).toEqual(first);
    expect(storedFiles()).toEqual(before);
  });

  it('stores the same picture for several events at the same time', async () => {
    const bytes = png({ width: 90, height: 90 });
    const paths = [world.event, world.siblingEvent, world.foreignEvent].map((id) => `/event/${id}/poster`);
    const responses = await Promise.all([...paths, ...paths].map((path) => upload(bytes, path)));
    expect(responses.map(({ statusCode }) => statusCode)).toEqual(responses.map(() => 201));
    for (const address of addressesOf(responses[0]?.json<Picture>() as Picture)) expect((await fetchPicture(address)).statusCode).toBe(200);
  });

  it('repeats the response for the same Idempotency-Key', async () => {
    const bytes = await twoColors(310, 300).png().toBuffer();
    const key = { 'idempotency-key': 'poster-once' };
    const first = await upload(bytes, undefined, key);
    const second = await upload(bytes, undefined, key);
    expect(second.headers['idempotency-replayed']).toBe('true');
    expect(second.json()).toEqual(first.json());
    expect((await upload(await twoColors(320, 300).png().toBuffer(), undefined, key)).statusCode).toBe(422);
  });

  it('returns 412 and keeps the old poster when If-Match is stale', async () => {
    const bytes = await twoColors(330, 300).png().toBuffer();
    const before = await eventOf();
    expect((await upload(bytes, undefined, { 'if-match': '"old"' })).statusCode).toBe(412);
    expect(await eventOf()).toEqual(before);
  });
});

describe('POST /event/{id}/poster with a file that is no usable picture', () => {
  const svg = drawMosaic({ seed: 'x', category: 'music' });
  const noise = (width: number, height: number, format: 'jpeg' | 'png' | 'webp' | 'avif') =>
    sharp({ create: { width, height, channels: 3, background: '#888', noise: { type: 'gaussian', mean: 128, sigma: 40 } } })
      .toFormat(format, { effort: 1 })
      .toBuffer();
  const half = (bytes: Buffer) => bytes.subarray(0, Math.floor(bytes.length / 2));
  /** A PNG of a few bytes that claims this size. */
  const claims = (width: number, height: number) => png({ width, height, pixels: Buffer.alloc(100) });
  const apng = () => png({ width: 100, height: 100, before: [pngChunk('acTL', Buffer.from([0, 0, 0, 2, 0, 0, 0, 0]))] });
  const animatedWebp = () => {
    const frames = Buffer.alloc(100 * 200 * 3, 0).fill(255, 100 * 100 * 3);
    return sharp(frames, { raw: { width: 100, height: 200, channels: 3, pageHeight: 100 } })
      .webp()
      .toBuffer();
  };
  const gif = () => twoColors(100, 100).gif().toBuffer();
  const sequence = async () => Buffer.from((await noise(100, 100, 'avif')).toString('latin1').replace('ftypavif', 'ftypavis'), 'latin1');
  const hugeJpeg = async () => {
    const bytes = await noise(100, 100, 'jpeg');
    const frame = bytes.indexOf(Buffer.from([0xff, 0xc0]));
    bytes.writeUInt16BE(65_000, frame + 5);
    bytes.writeUInt16BE(65_000, frame + 7);
    return bytes;
  };

  const files: [string, () => Buffer | string | Promise<Buffer>, number, string][] = [
    ['an SVG', () => svg, 415, 'unsupported_media_type'],
    ['an SVG that begins like a JPEG', () => Buffer.from(`\xff\xd8\xff${svg}`, 'latin1'), 422, 'damaged'],
    ['a GIF', gif, 415, 'unsupported_media_type'],
    ['HTML', () => '<!doctype html><script>alert(1)</script>', 415, 'unsupported_media_type'],
    ['HTML that begins like a PNG', () => Buffer.from('\x89PNG\r\n\x1a\n<script>alert(1)</script>', 'latin1'), 422, 'damaged'],
    ['a ZIP archive', () => Buffer.from('PK\x03\x04'), 415, 'unsupported_media_type'],
    ['an empty file', () => '', 415, 'unsupported_media_type'],
    ['half of a JPEG', async () => half(await noise(400, 400, 'jpeg')), 422, 'damaged'],
    ['half of a PNG', async () => half(await noise(400, 400, 'png')), 422, 'damaged'],
    ['half of a WebP', async () => half(await noise(400, 400, 'webp')), 422, 'damaged'],
    ['half of an AVIF', async () => half(await noise(100, 100, 'avif')), 422, 'damaged'],
    ['an animated PNG', apng, 422, 'animated'],
    ['an animated WebP', animatedWebp, 422, 'animated'],
    ['a sequence of AVIF pictures', sequence, 422, 'animated'],
    ['a small PNG that claims 900 megapixels', () => claims(30_000, 30_000), 422, 'too_many_pixels'],
    ['a small JPEG that claims 4,225 megapixels', hugeJpeg, 422, 'too_many_pixels'],
    ['a PNG of 41 megapixels', () => png({ width: 8_200, height: 5_000 }), 422, 'too_many_pixels'],
    ['a PNG of 63 × 500 pixels', () => png({ width: 63, height: 500 }), 422, 'too_small'],
    ['a PNG of 100 × 1,001 pixels', () => png({ width: 100, height: 1_001 }), 422, 'too_narrow'],
    ['a file of more than 10 MiB', () => Buffer.alloc(10_485_761), 413, 'payload_too_large'],
  ];

  it.each(files)('refuses %s and stores nothing', async (_, make, status, code) => {
    const before = { event: await eventOf(), files: storedFiles(), rows: await storedRows() };
    const response = await upload(await make());
    const problem = response.json<{ code: string; errors?: { code: string; field: string }[] }>();
    expect({ status: response.statusCode, code: problem.errors?.[0]?.code ?? problem.code }).toEqual({ status, code });
    expect({ event: await eventOf(), files: storedFiles(), rows: await storedRows() }).toEqual(before);
  });

  it('control: accepts files just inside the limits', async () => {
    const inside = [png({ width: 8_000, height: 4_999 }), png({ width: 64, height: 64 }), png({ width: 100, height: 1_000 })];
    for (const bytes of inside) expect((await upload(bytes)).statusCode).toBe(201);
  }, 60_000);

  it('control: the decoder alone would accept what the checks before it refuse', async () => {
    const decode = (bytes: Buffer, failOn: 'none' | 'error' = 'error') => sharp(bytes, { failOn }).raw().toBuffer();
    for (const bytes of [apng(), await animatedWebp()]) expect((await decode(bytes)).length).toBeGreaterThan(0);
    for (const format of ['jpeg', 'png'] as const)
      expect((await decode(half(await noise(400, 400, format)), 'none')).length).toBe(400 * 400 * 3);
    expect(await sharp(await hugeJpeg(), { limitInputPixels: false }).metadata()).toMatchObject({ width: 65_000, height: 65_000 });
  });

  it('control: the decoders for SVG and GIF are blocked', async () => {
    await expect(sharp(Buffer.from(svg)).metadata()).rejects.toThrow(/unsupported image format/);
    await expect(sharp(await gif()).metadata()).rejects.toThrow(/unsupported image format/);
  });
});

describe('GET /pictures/{name}', () => {
  it('may be kept in every cache for a year, has the right type, and can be shown on other sites', async () => {
    const picture = (await upload(await twoColors(100, 100).png().toBuffer())).json<Picture>();
    const [webp = '', avif = ''] = addressesOf(picture);
    for (const [address, type] of [
      [webp, 'image/webp'],
      [avif, 'image/avif'],
    ] as const) {
      const file = await fetchPicture(address);
      expect(file.headers).toMatchObject({
        'cache-control': 'public, max-age=31536000, immutable',
        'content-type': type,
        'content-length': String(file.rawPayload.length),
        'cross-origin-resource-policy': 'cross-origin',
        'content-security-policy': "default-src 'none';frame-ancestors 'none'",
        'x-content-type-options': 'nosniff',
      });
      const again = await fetchPicture(address, { 'if-none-match': String(file.headers.etag) });
      expect([again.statusCode, again.body]).toEqual([304, '']);
    }
  });

  it('returns 404 for other names, also for names that leave the folder', async () => {
    const { webp } = (await upload(await twoColors(100, 100).png().toBuffer())).json<Picture>();
    const [address = ''] = webp.split(' ');
    const others = ['/pictures/x', '/pictures/..%2fexports%2f1-1.csv', address.replace('.webp', '.svg'), address.replace('-100', '-99')];
    for (const url of others) expect((await fetchPicture(url)).statusCode, url).toBe(404);
  });
});

describe('the poster of an event', () => {
  it('is in every read of the event, and PUT accepts the event as it was read', async () => {
    const picture = (await upload(await twoColors(200, 250).png().toBuffer())).json<Picture>();
    const event = await eventOf();
    expect(event).toMatchObject({ poster: picture.src, picture });
    const found = await world.call('GET', '/event?fields=poster,picture&term=first');
    expect(found.json<{ data: object[] }>().data).toEqual([{ poster: picture.src, picture }]);
    const put = await world.call('PUT', `/event/${world.event}`, { as: 'owner', body: { ...event, title: 'Renamed' } });
    expect(put.json()).toMatchObject({ title: 'Renamed', poster: picture.src, picture });
    await world.call('PUT', `/event/${world.event}`, { as: 'owner', body: { title: event.title } });
  });

  it('is replaced by an address in PUT, and removed by DELETE', async () => {
    await upload(await twoColors(200, 250).png().toBuffer());
    const poster = 'https://images.test/a.jpg';
    const put = await world.call('PUT', `/event/${world.event}`, { as: 'owner', body: { poster } });
    expect(put.json()).toMatchObject({ poster, picture: null });
    const removed = await world.call('DELETE', `/event/${world.event}/poster`, { as: 'owner' });
    expect(removed.statusCode).toBe(204);
    expect(await auditOf(world, removed)).toMatchObject([{ operation: 'deletePoster', before: { poster }, after: { poster: null } }]);
    expect(await eventOf()).toMatchObject({ poster: null, picture: null });
    expect((await world.call('DELETE', `/event/${world.event}/poster`, { as: 'owner' })).statusCode).toBe(404);
  });

  it('cannot be the uploaded picture of another event', async () => {
    const { src } = (await upload(await twoColors(220, 250).png().toBuffer(), `/event/${world.siblingEvent}/poster`)).json<Picture>();
    const put = await world.call('PUT', `/event/${world.event}`, { as: 'owner', body: { poster: src } });
    expect(put.json()).toMatchObject({ status: 422, errors: [{ field: 'poster', code: 'not_uploaded' }] });
    const body = { producerId: world.producer, title: 'Copy', category: 'music', timezone: 'UTC', poster: src };
    expect((await world.call('POST', '/event', { as: 'owner', body })).statusCode).toBe(422);
  });
});

describe('other pictures', () => {
  it('the cover has an uploaded picture or an address', async () => {
    const picture = (await upload(await twoColors(400, 200).png().toBuffer(), '/home/cover/image')).json<Picture>();
    const cover = async () => (await world.call('GET', '/home/cover')).json<Cover>();
    expect(await cover()).toMatchObject({ image: picture.src, picture });
    const put = (image: string | null) => world.call('PUT', '/home/cover', { as: 'admin', body: { image } });
    expect((await put(picture.src)).json()).toMatchObject({ picture });
    expect((await world.call('DELETE', '/home/cover/image', { as: 'admin' })).statusCode).toBe(204);
    expect(await cover()).toMatchObject({ image: null, picture: null });
    expect((await put(picture.src)).statusCode).toBe(422);
    expect((await world.call('DELETE', '/home/cover/image', { as: 'admin' })).statusCode).toBe(404);
  });

  it('a banner is shown when its picture is uploaded', async () => {
    const body = { target: '/music' };
    const { id } = (await world.call('POST', '/featured', { as: 'admin', body })).json<FeaturedEntry>();
    const banners = async () => (await world.call('GET', '/featured?method=banner')).json<{ data: FeaturedEntry[] }>().data;
    expect(await banners()).toEqual([]);
    const picture = (await upload(await twoColors(400, 210).png().toBuffer(), `/featured/${id}/image`)).json<Picture>();
    expect(await banners()).toMatchObject([{ image: picture.src, picture, target: '/music' }]);
    await world.call('PUT', `/featured/${id}`, { as: 'admin', body: { target: null } });
    const empty = await world.call('DELETE', `/featured/${id}/image`, { as: 'admin' });
    expect(empty.json()).toMatchObject({ status: 422, code: 'rule_violation' });
    await world.call('PUT', `/featured/${id}`, { as: 'admin', body: { target: '/music' } });
    expect((await world.call('DELETE', `/featured/${id}/image`, { as: 'admin' })).statusCode).toBe(204);
    expect(await banners()).toEqual([]);
  });

  it('the logo of a producer keeps its transparent parts', async () => {
    const clear = { r: 0, g: 0, b: 0, alpha: 0 };
    const bytes = await sharp({ create: { width: 1000, height: 500, channels: 4, background: clear } })
      .png()
      .toBuffer();
    const picture = (await upload(bytes, `/producers/${world.producer}/logo`)).json<Picture>();
    expect(picture).toMatchObject({ width: 768, height: 384, color: '#ffffff' });
    for (const address of addressesOf(picture))
      expect((await sharp((await fetchPicture(address)).rawPayload).stats()).isOpaque).toBe(false);
    const read = () => world.call('GET', `/producers/${world.producer}`, { as: 'owner' });
    expect((await read()).json()).toMatchObject({ logo: picture.src, picture });
    expect((await world.call('GET', `/producer/${world.producer}`)).json()).toMatchObject({ logo: picture.src, picture });
    expect((await world.call('DELETE', `/producers/${world.producer}/logo`, { as: 'owner' })).statusCode).toBe(204);
    expect((await read()).json()).toMatchObject({ logo: null, picture: null });
  });
});

describe('storing a picture', () => {
  let app: FastifyInstance;
  /** For each upload, the number of open transactions while the file store wrote a file. */
  const transactions: number[] = [];
  const inTransaction = async () =>
    (await world.pool.query(`select from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`))
      .rowCount ?? 0;

  beforeAll(async () => {
    const files = openFiles(world.config);
    const write: typeof files.write = async (...file) => {
      transactions.push(await inTransaction());
      await files.write(...file);
    };
    const receivePicture = receivePictures({ db: world.db, files: { ...files, write } });
    app = await createServer(world.config);
    mount(app, { db: world.db, gate: createGate(world.db, scopes), clock: () => world.now, serve: world.config.serve }, [
      events({ reservedSlugs: () => new Set(), read: readEvent, receivePicture, shopUrl: world.config.publicUrl }),
    ]);
  });
  afterAll(() => app.close());

  it('happens outside of transactions', async () => {
    const { body, headers } = pictureForm(await twoColors(340, 300).png().toBuffer());
    const response = await world.call('POST', `/event/${world.event}/poster`, { as: 'owner', body, headers, app });
    expect(response.statusCode).toBe(201);
    expect(transactions).toEqual(transactions.map(() => 0));
    expect(transactions.length).toBeGreaterThan(0);
  });

  it('control: an open transaction is counted', async () => {
    const client = await world.pool.connect();
    try {
      await client.query('begin; select 1');
      expect(await inTransaction()).toBe(1);
    } finally {
      await client.query('rollback');
      client.release();
    }
  });
});

describe('pictures that nothing refers to', () => {
  const dayMs = 86_400_000;
  const later = (days: number) => new Date(world.now.getTime() + days * dayMs);
  const context = () => ({ db: world.db, files: openFiles(world.config) });
  const remove = (days: number) => removeUnusedPictures(context(), later(days), 100);
  const shown = (address: string) => existsSync(join(folder(), address.replace('/pictures/', '')));

  it('are removed a day after their last use, and pictures in use are kept', async () => {
    const old = (await upload(await twoColors(150, 150).png().toBuffer())).json<Picture>();
    await remove(2);
    await world.pool.query(`update picture set used_at = used_at - interval '5 days' where id = $1`, [old.src.slice(10, 42)]);
    const current = (await upload(await twoColors(160, 150).png().toBuffer())).json<Picture>();
    expect(await remove(0.9)).toBe(0);
    expect(
      await world.db.transaction().execute((tx) => countUnusedPictures(Object.assign(tx, { secrets: world.db.secrets }), later(1.1))),
    ).toBe(1);
    expect(await remove(1.1)).toBe(1);
    expect(addressesOf(old).filter(shown)).toEqual([]);
    expect(addressesOf(current).filter(shown)).toEqual(addressesOf(current));
    expect(await remove(100)).toBe(0);
  });

  it('cannot be used while they are removed, and can be uploaded again afterwards', async () => {
    const bytes = await twoColors(170, 150).png().toBuffer();
    const { src } = (await upload(bytes)).json<Picture>();
    await world.call('DELETE', `/event/${world.event}/poster`, { as: 'owner' });
    await world.pool.query(`update picture set removing = true where id = $1`, [src.slice(10, 42)]);
    const refused = await upload(bytes);
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([503, '60']);
    expect(await remove(0)).toBe(1);
    expect(shown(src)).toBe(false);
    expect((await upload(bytes)).statusCode).toBe(201);
    expect(readFileSync(join(folder(), src.replace('/pictures/', ''))).length).toBeGreaterThan(0);
  });

  it('keep their row if the file store fails, so that the next round removes their files', async () => {
    await upload(await twoColors(180, 150).png().toBuffer());
    await world.call('DELETE', `/event/${world.event}/poster`, { as: 'owner' });
    const files = { ...openFiles(world.config), remove: () => Promise.reject(new Error('no disk')) };
    await expect(removeUnusedPictures({ db: world.db, files }, later(3), 100)).rejects.toThrow('no disk');
    expect(await remove(3)).toBeGreaterThan(0);
    expect(storedFiles().filter((name) => name.includes('-180.'))).toEqual([]);
  });
});
