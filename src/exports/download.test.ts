import { describe, expect, it } from 'vitest';
import { linkOfFile } from '../../test/exports.ts';
import { useWorld } from '../../test/harness.ts';
import { noon } from '../../test/world.ts';
import { requestedRange } from '../http/send-file.ts';

const world = useWorld();
const content = 'order,total\n1,88.00\n2,12.50\n';
const download = (link: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
  world.call(method, link, { headers });
const weekLater = new Date(noon.getTime() + 7 * 86_400_000);

describe('GET /exports/{id}/file', () => {
  it('returns 200 and the file with its name, without a token', async () => {
    const response = await download(await linkOfFile(world, content));
    expect(response.statusCode).toBe(200);
    expect(response.body).toBe(content);
    expect(response.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-length': String(content.length),
      'content-disposition': expect.stringMatching(/^attachment; filename="transactions-first-event-\d+\.csv"$/),
      'accept-ranges': 'bytes',
      'cache-control': 'private, no-store',
    });
  });

  it('returns 200 with an invalid token, which is ignored', async () => {
    expect((await download(await linkOfFile(world), { authorization: 'Bearer nonsense' })).statusCode).toBe(200);
  });

  it('HEAD returns 200 with the size and no body', async () => {
    const response = await download(await linkOfFile(world, content), {}, 'HEAD');
    expect(response.statusCode).toBe(200);
    expect(response.headers['content-length']).toBe(String(content.length));
    expect(response.body).toBe('');
  });

  it.each([
    ['bytes=0-4', 0, 4],
    ['bytes=6-', 6, content.length - 1],
    ['bytes=-5', content.length - 5, content.length - 1],
    ['bytes=20-9999', 20, content.length - 1],
    ['bytes=-9999', 0, content.length - 1],
  ])('returns 206 for %s', async (range, from, to) => {
    const response = await download(await linkOfFile(world, content), { range });
    expect(response.statusCode).toBe(206);
    expect(response.headers['content-range']).toBe(`bytes ${from}-${to}/${content.length}`);
    expect(response.headers['content-length']).toBe(String(to - from + 1));
    expect(response.body).toBe(content.slice(from, to + 1));
  });

  it.each(['bytes=0-1,4-5', 'bytes=5-2', 'lines=1-2', 'bytes=', 'bytes=a-b', 'bytes=-'])(
    'returns 200 and the whole file for %s, which is not a valid single range',
    async (range) => {
      expect((await download(await linkOfFile(world, content), { range })).statusCode).toBe(200);
    },
  );

  it('returns 206 if If-Range matches the ETag, otherwise 200 and the whole file', async () => {
    const link = await linkOfFile(world, content);
    const etag = String((await download(link)).headers.etag);
    expect((await download(link, { range: 'bytes=5-', 'if-range': etag })).statusCode).toBe(206);
    expect((await download(link, { range: 'bytes=5-', 'if-range': '"another"' })).statusCode).toBe(200);
  });

  it('returns 404 for a wrong or missing signature, the signature of another export, and a disabled requester', async () => {
    const [link, other] = [await linkOfFile(world), await linkOfFile(world)];
    const [path = '', signature = ''] = link.split('?signature=');
    const forged = (signature.startsWith('A') ? 'B' : 'A') + signature.slice(1);
    for (const wrong of [`${path}?signature=${forged}`, path, `${path}?signature=`, `${path}?signature=${other.split('=')[1]}`]) {
      expect((await download(wrong)).statusCode).toBe(404);
    }
    await world.pool.query('update app_user set disabled_at = now() where id = $1', [world.users.owner]);
    expect((await download(link)).statusCode).toBe(404);
    await world.pool.query('update app_user set disabled_at = null where id = $1', [world.users.owner]);
    expect((await download(link)).statusCode).toBe(200);
  });

  it('returns 410 after 7 days and after the file was removed, but 404 without a signature', async () => {
    const link = await linkOfFile(world);
    const [path = ''] = link.split('?');
    world.now = new Date(weekLater.getTime() - 1);
    expect((await download(link)).statusCode).toBe(200);
    world.now = weekLater;
    expect((await download(link)).json()).toMatchObject({ status: 410, code: 'link_expired' });
    expect((await download(path)).statusCode).toBe(404);
    world.now = noon;
    await world.pool.query(`update export set status = 'expired', file_key = null where id = $1`, [path.split('/')[3]]);
    expect((await download(link)).statusCode).toBe(410);
  });

  it('returns 416 for a range after the end of the file', async () => {
    const response = await download(await linkOfFile(world, content), { range: `bytes=${content.length}-` });
    expect(response.statusCode).toBe(416);
    expect(response.headers['content-range']).toBe(`bytes */${content.length}`);
  });
});

it('requestedRange refuses every range of an empty file', () => {
  expect(requestedRange(undefined, '"a"', '"a"', 0)).toBeNull();
  expect(() => requestedRange('bytes=0-', '"a"', '"a"', 0)).toThrow('0 bytes');
});
