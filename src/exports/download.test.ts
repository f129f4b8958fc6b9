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

describe('getExportFile', () => {
  it('200: the file, with its name, for who has the link and no token', async () => {
    const answer = await download(await linkOfFile(world, content));
    expect(answer.statusCode).toBe(200);
    expect(answer.body).toBe(content);
    expect(answer.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-length': String(content.length),
      'content-disposition': expect.stringMatching(/^attachment; filename="transactions-first-event-\d+\.csv"$/),
      'accept-ranges': 'bytes',
      'cache-control': 'private, no-store',
    });
  });

  it('200: a token that is no good is in nobody’s way', async () => {
    expect((await download(await linkOfFile(world), { authorization: 'Bearer nonsense' })).statusCode).toBe(200);
  });

  it('200: HEAD tells how large it is', async () => {
    const answer = await download(await linkOfFile(world, content), {}, 'HEAD');
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-length']).toBe(String(content.length));
    expect(answer.body).toBe('');
  });

  it.each([
    ['bytes=0-4', 0, 4],
    ['bytes=6-', 6, content.length - 1],
    ['bytes=-5', content.length - 5, content.length - 1],
    ['bytes=20-9999', 20, content.length - 1],
    ['bytes=-9999', 0, content.length - 1],
  ])('206: %s', async (range, from, to) => {
    const answer = await download(await linkOfFile(world, content), { range });
    expect(answer.statusCode).toBe(206);
    expect(answer.headers['content-range']).toBe(`bytes ${from}-${to}/${content.length}`);
    expect(answer.headers['content-length']).toBe(String(to - from + 1));
    expect(answer.body).toBe(content.slice(from, to + 1));
  });

  it.each(['bytes=0-1,4-5', 'bytes=5-2', 'lines=1-2', 'bytes=', 'bytes=a-b', 'bytes=-'])(
    '200: %s is no range of one part',
    async (range) => {
      expect((await download(await linkOfFile(world, content), { range })).statusCode).toBe(200);
    },
  );

  it('206 or 200: what has begun goes on only in the same file', async () => {
    const link = await linkOfFile(world, content);
    const etag = String((await download(link)).headers.etag);
    expect((await download(link, { range: 'bytes=5-', 'if-range': etag })).statusCode).toBe(206);
    expect((await download(link, { range: 'bytes=5-', 'if-range': '"another"' })).statusCode).toBe(200);
  });

  it('404: another signature, none, that of another export, or that of who has no account any more', async () => {
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

  it('410: after 7 days, and when the file is gone; who has no link learns nothing', async () => {
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

  it('416: a part that it does not have', async () => {
    const answer = await download(await linkOfFile(world, content), { range: `bytes=${content.length}-` });
    expect(answer.statusCode).toBe(416);
    expect(answer.headers['content-range']).toBe(`bytes */${content.length}`);
  });
});

it('nothing can be asked of a file without a byte', () => {
  expect(requestedRange(undefined, '"a"', '"a"', 0)).toBeNull();
  expect(() => requestedRange('bytes=0-', '"a"', '"a"', 0)).toThrow('0 bytes');
});
