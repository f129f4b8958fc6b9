import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { diskFiles } from './disk-files.ts';
import type { Files } from './files.ts';
import { s3Files } from './s3-files.ts';

const secret = 'open/sesame+1';
const hex = (data: string | Buffer) => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();

/** Computes the expected AWS Signature Version 4 from the received request. */
function expectedSignature({ method, url = '', headers }: IncomingMessage, body: Buffer): string {
  const [, scope = '', names = ''] = /Credential=[^/]+\/([^,]+),\s*SignedHeaders=([^,]+)/.exec(headers.authorization ?? '') ?? [];
  const { pathname, searchParams } = new URL(url, 'http://x');
  const encode = (text: string) => encodeURIComponent(text).replaceAll(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  const query = [...searchParams]
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .toSorted()
    .join('&');
  const sent = names
    .split(';')
    .map((name) => `${name}:${String(headers[name]).trim()}\n`)
    .join('');
  const bodyHash = String(headers['x-amz-content-sha256']);
  if (bodyHash !== 'UNSIGNED-PAYLOAD' && bodyHash !== hex(body)) return 'the hash of the body is wrong';
  const canonical = [method, pathname, query, sent, names, bodyHash].join('\n');
  const [date = '', region = '', service = ''] = scope.split('/');
  const key = ['aws4_request', service, region, date].reduceRight((k, part) => hmac(k, part), Buffer.from(`AWS4${secret}`));
  return hmac(key, ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, hex(canonical)].join('\n')).toString('hex');
}

/** Implements the part of the S3 protocol that s3-files.ts uses. */
function startStore() {
  const objects = new Map<string, Buffer>();
  const uploads = new Map<string, Map<number, Buffer>>();
  let number = 0;
  const server: Server = createServer((request, response) => {
    void buffer(request).then((body) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
      const upload = searchParams.get('uploadId') ?? '';
      const key = `${request.method} ${searchParams.has('uploads') ? 'begin' : upload ? 'part' : 'object'}`;
      const answer = (status: number, text: string | Buffer = '', headers: Record<string, string> = {}) =>
        response.writeHead(status, headers).end(text);
      const [, signature = ''] = /Signature=([0-9a-f]+)/.exec(request.headers.authorization ?? '') ?? [];
      if (signature !== expectedSignature(request, body))
        return answer(403, '<Error><Code>SignatureDoesNotMatch</Code></Error>', { 'content-type': 'application/xml' });
      if (key === 'PUT object') objects.set(pathname, body);
      if (key === 'DELETE object') objects.delete(pathname);
      if (key === 'POST begin') {
        uploads.set(`u${++number}`, new Map());
        return answer(200, `<InitiateMultipartUploadResult><UploadId>u${number}</UploadId></InitiateMultipartUploadResult>`);
      }
      if (key === 'PUT part') {
        uploads.get(upload)?.set(Number(searchParams.get('partNumber')), body);
        return answer(200, '', { etag: `"${hex(body).slice(0, 32)}"` });
      }
      if (key === 'DELETE part') uploads.delete(upload);
      if (key === 'POST part') {
        const parts = [...(uploads.get(upload) ?? [])].toSorted(([a], [b]) => a - b).map(([, part]) => part);
        objects.set(pathname, Buffer.concat(parts));
        uploads.delete(upload);
        return answer(200, '<CompleteMultipartUploadResult><ETag>"x"</ETag></CompleteMultipartUploadResult>');
      }
      if (key !== 'GET object') return answer(request.method === 'DELETE' ? 204 : 200, '', { etag: '"x"' });
      const object = objects.get(pathname);
      if (!object) return answer(404, '<Error><Code>NoSuchKey</Code></Error>');
      const [, from, to] = /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? '') ?? [];
      return answer(206, object.subarray(Number(from), Number(to) + 1));
    });
  });
  return { server, objects, uploads };
}

const store = startStore();
const root = mkdtempSync(join(tmpdir(), 'tessera-files-'));
const stores: Record<string, Files> = { disk: diskFiles(join(root, 'files')) };
let origin = '';
const address = (password = secret) => `s3://key:${encodeURIComponent(password)}@${origin}/bucket?region=sa-east-1&tls=off`;

beforeAll(async () => {
  store.server.listen(0, '127.0.0.1');
  await once(store.server, 'listening');
  origin = `127.0.0.1:${(store.server.address() as AddressInfo).port}`;
  stores.s3 = s3Files(address());
});
afterAll(() => {
  store.server.closeAllConnections();
  store.server.close();
  rmSync(root, { recursive: true, force: true });
});

async function* chunks(...parts: (string | Buffer | Error)[]): AsyncGenerator<Buffer> {
  for (const part of parts) {
    if (part instanceof Error) throw part;
    yield Buffer.from(part as string);
  }
}
const whole = async (files: Files, key: string) => {
  const stream = await files.read(key, 0, 1_000_000_000);
  return stream && (await buffer(stream));
};

describe.each(['disk', 's3'])('the %s file store', (name) => {
  const files = (): Files => stores[name] as Files;

  it('writes a file, reads it in whole and in part, and removes it', async () => {
    await files().write('exports/1-1.csv', 'text/csv', chunks('hello ', 'world'));
    expect(String(await whole(files(), 'exports/1-1.csv'))).toBe('hello world');
    const part = await files().read('exports/1-1.csv', 3, 6);
    expect(part && String(await buffer(part))).toBe('lo w');
    await files().remove('exports/1-1.csv');
    expect(await files().read('exports/1-1.csv', 0, 1)).toBeNull();
    await files().remove('exports/1-1.csv');
  });

  it('writes a file of 20 MB in parts and reads the same bytes back', async () => {
    const large = Array.from({ length: 20 }, (_, i) => Buffer.alloc(1_000_000, i));
    await files().write('exports/2-1.csv', 'text/csv', chunks(...large));
    expect((await whole(files(), 'exports/2-1.csv'))?.equals(Buffer.concat(large))).toBe(true);
  });

  it('completes two writes of the same file that overlap', async () => {
    const second = files().write('exports/4-1.csv', 'text/csv', chunks('same', ' content'));
    async function* whileTheOtherEnds(): AsyncGenerator<Buffer> {
      yield Buffer.from('same');
      await second;
      yield Buffer.from(' content');
    }
    await files().write('exports/4-1.csv', 'text/csv', whileTheOtherEnds());
    expect(String(await whole(files(), 'exports/4-1.csv'))).toBe('same content');
  });

  it('keeps the file when a later write of it fails', async () => {
    await files().write('exports/5-1.csv', 'text/csv', chunks('first'));
    await expect(files().write('exports/5-1.csv', 'text/csv', chunks('fir', new Error('broken off')))).rejects.toThrow('broken off');
    expect(String(await whole(files(), 'exports/5-1.csv'))).toBe('first');
  });

  it('leaves neither a file nor parts of it when the input fails', async () => {
    const large = Array.from({ length: 20 }, () => Buffer.alloc(1_000_000));
    await expect(files().write('exports/3-1.csv', 'text/csv', chunks(...large, new Error('broken off')))).rejects.toThrow('broken off');
    expect(await files().read('exports/3-1.csv', 0, 1)).toBeNull();
    expect(store.uploads.size).toBe(0);
    expect(readdirSync(join(root, 'files/exports')).filter((file) => file.startsWith('3-'))).toEqual([]);
    expect(readdirSync(join(root, 'files/parts'))).toEqual([]);
  });

  it('rejects keys with other characters than lower case letters, digits, "-", "." and "/"', async () => {
    for (const key of ['../etc/passwd', '/etc/passwd', 'a/../b', '', 'a//b', 'A']) {
      await expect(files().write(key, 'text/csv', chunks('x'))).rejects.toThrow('is not a valid file key');
    }
  });
});

describe('the s3 file store', () => {
  it('throws a readable error when the server refuses or does not respond', async () => {
    await expect(s3Files(address('wrong')).write('a', 'text/csv', chunks('x'))).rejects.toThrow(
      'The file store refused: SignatureDoesNotMatch',
    );
    await expect(s3Files('s3://key:secret@127.0.0.1:1/bucket?tls=off').write('a', 'text/csv', chunks('x'))).rejects.toThrow(
      /did not respond/,
    );
  });
});
