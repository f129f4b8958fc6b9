import { createHash, type Hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from '../kernel/problem.ts';
import type { Upload } from '../kernel/route.ts';

export interface UploadTimeouts {
  /** How long the client may send nothing. */
  idleMs: number;
  /** How long the whole file may take. */
  totalMs: number;
  /** How long the client may keep sending after the response. */
  lingerMs: number;
  /** When the server has waited this long for data in total, the average rate must be at least `minBytesPerSecond`. */
  rateCheckAfterMs: number;
  minBytesPerSecond: number;
}

export const defaultUploadTimeouts: UploadTimeouts = {
  idleMs: 10_000,
  totalMs: 15 * 60_000,
  lingerMs: 1_000,
  rateCheckAfterMs: 10_000,
  minBytesPerSecond: 8_192,
};

/** The maximum size of the form without the file. */
const framingBytes = 65_536;

/** Sockets with an upload in progress. The timeouts of this file apply to them instead of the server's request timeout. */
const uploading = new WeakSet<Socket>();

export const isUploading = (socket: Socket): boolean => uploading.has(socket);

/** Accepts multipart bodies only on upload routes. The handler reads them as a stream. */
export function acceptMultipartUploads(app: FastifyInstance): void {
  app.addContentTypeParser('multipart/form-data', (request, _payload, done) => {
    if (request.routeOptions.config.upload) done(null);
    else done(new Problem('unsupported_media_type'));
  });
}

/** The hooks of an upload route. `onRequest` runs before the body is read, `onResponse` after the response was sent. */
export function uploadHooks(upload: Upload, { lingerMs }: UploadTimeouts) {
  return {
    onRequest: async ({ raw, headers }: FastifyRequest): Promise<void> => {
      if (!/^multipart\/form-data\s*(;|$)/i.test(headers['content-type'] ?? '')) {
        throw new Problem('unsupported_media_type', `Send multipart/form-data with a file in the field "${upload.field}".`);
      }
      if (Number(headers['content-length']) > upload.maxBytes + framingBytes) throw tooLarge(upload);
      uploading.add(raw.socket);
      raw.socket.setTimeout?.(0);
    },
    onResponse: async ({ raw }: FastifyRequest): Promise<void> => {
      uploading.delete(raw.socket);
      if (raw.readableEnded) return;
      // A client that is cut off while it sends may never read the response. So the rest of the body is read and discarded, for a limited time.
      raw.resume();
      const timer = setTimeout(() => raw.destroy(), lingerMs);
      raw.once('end', () => clearTimeout(timer));
    },
  };
}

/** The file in a multipart form, read as a stream, and the hash of its content. */
export class IncomingFile implements AsyncIterable<Buffer> {
  readonly #raw: IncomingMessage;
  readonly #upload: Upload;
  readonly #uploadTimeouts: UploadTimeouts;
  readonly #form: BusboyInstance;
  readonly #hash: Hash = createHash('sha256');
  #file: Readable | null = null;
  #digest: string | null = null;
  #fileEnded = false;
  #formEnded = false;
  /** The total time spent waiting for data from the client. */
  #waitedMs = 0;
  #problem: Problem | null = null;
  #wake: () => void = () => undefined;

  constructor(raw: IncomingMessage, upload: Upload, uploadTimeouts: UploadTimeouts) {
    this.#raw = raw;
    this.#upload = upload;
    this.#uploadTimeouts = uploadTimeouts;
    this.#form = openForm(raw);
  }

  /** Returns the hash of the content. Call this only after the whole file was read. */
  digest(): string {
    this.#digest ??= this.#hash.digest('hex');
    return this.#digest;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    const { totalMs } = this.#uploadTimeouts;
    const timer = setTimeout(() => this.#refuse(tooSlow(`The file did not arrive within ${totalMs / 1000} seconds.`)), totalMs);
    try {
      this.#listen();
      await this.#waitUntil(() => this.#file !== null || this.#formEnded);
      if (!this.#file) throw malformed(`The form has no file. Send one in the field "${this.#upload.field}".`);
      yield* this.#bytesOf(this.#file);
      // More parts may follow the file, which would be an error.
      await this.#waitUntil(() => this.#formEnded);
    } catch (error) {
      throw this.#problem ?? error;
    } finally {
      clearTimeout(timer);
      this.#raw.unpipe(this.#form);
    }
  }

  async *#bytesOf(file: Readable): AsyncGenerator<Buffer> {
    const chunks = file[Symbol.asyncIterator]() as AsyncIterator<Buffer, undefined>;
    for (let bytes = 0; ; ) {
      const { value } = await this.#withIdleTimeout(chunks.next());
      if (!value) break;
      bytes += value.length;
      if (bytes > this.#upload.maxBytes) throw tooLarge(this.#upload);
      this.#requireMinimumRate(bytes);
      this.#hash.update(value);
      yield value;
    }
    this.#fileEnded = true;
  }

  /** A client that sends a byte now and then would pass the idle timeout and occupy one of the few upload places. */
  #requireMinimumRate(bytes: number): void {
    const { rateCheckAfterMs, minBytesPerSecond } = this.#uploadTimeouts;
    if (this.#waitedMs < rateCheckAfterMs || (bytes * 1000) / this.#waitedMs >= minBytesPerSecond) return;
    throw tooSlow(`The file arrives too slowly. Send at least ${minBytesPerSecond} bytes per second.`);
  }

  #listen(): void {
    const raw = this.#raw;
    this.#form.on('file', (name: string | undefined, part: Readable, filename: string | undefined) => this.#onPart(name, part, filename));
    this.#form.on('error', () => this.#refuse(malformed('The form cannot be parsed: it ends too early or its parts are malformed.')));
    this.#form.on('finish', () => {
      this.#formEnded = true;
      this.#wake();
    });
    const onConnectionCut = () => this.#refuse(malformed('The connection was closed before the form was complete.'));
    raw.on('error', onConnectionCut);
    raw.on('close', () => raw.readableEnded || onConnectionCut());
    // The connection may have closed while the request waited in the queue. Then no close event follows.
    if (raw.destroyed) onConnectionCut();
    raw.pipe(this.#form);
    let bytes = 0;
    raw.on('data', (chunk: Buffer) => {
      // The bytes of the file itself are counted by #bytesOf.
      if (this.#file && !this.#fileEnded) return;
      bytes += chunk.length;
      if (bytes > framingBytes)
        this.#refuse(malformed(`The form has more than 64 KiB besides the file in the field "${this.#upload.field}".`));
    });
  }

  #onPart(name: string | undefined, part: Readable, filename: string | undefined): void {
    const { field } = this.#upload;
    part.on('error', () => undefined);
    if (name !== field) this.#refuse(malformed(`The form has a field "${String(name).slice(0, 60)}". Only "${field}" is allowed.`));
    else if (filename === undefined)
      this.#refuse(malformed(`The field "${field}" is text, not a file. With curl, use -F ${field}=@name-of-the-file.`));
    else if (/(^|[\\/])\.\.([\\/]|$)/.test(filename))
      this.#refuse(malformed('The file name contains "..". Send a file name without a path.'));
    else if (this.#file) this.#refuse(malformed(`The form has two files. Send only one, in the field "${field}".`));
    else this.#file = part;
    this.#wake();
  }

  /** Records the first problem and wakes the reader, which throws the problem. */
  #refuse(problem: Problem): void {
    this.#problem ??= problem;
    this.#file?.destroy(problem);
    this.#wake();
  }

  async #waitUntil(condition: () => boolean): Promise<void> {
    while (!condition()) {
      if (this.#problem) throw this.#problem;
      await this.#withIdleTimeout(
        new Promise<void>((resolve) => {
          this.#wake = resolve;
        }),
      );
    }
    if (this.#problem) throw this.#problem;
  }

  /** Limits only the time that the client sends nothing. Time that the database needs does not count. */
  async #withIdleTimeout<T>(waiting: Promise<T>): Promise<T> {
    const { idleMs } = this.#uploadTimeouts;
    const since = performance.now();
    const timer = setTimeout(() => this.#refuse(tooSlow(`The client sent nothing for ${idleMs / 1000} seconds.`)), idleMs);
    try {
      return await waiting;
    } finally {
      this.#waitedMs += performance.now() - since;
      clearTimeout(timer);
    }
  }
}

/** Treats every part as a file. So the name of each part is known before its content is read. */
function openForm({ headers }: IncomingMessage): BusboyInstance {
  try {
    return new Busboy({
      headers: headers as BusboyHeaders,
      isPartAFile: () => true,
      preservePath: true,
      limits: { headerPairs: 20, headerSize: 8_192 },
      fileHwm: 262_144,
    });
  } catch {
    throw malformed('The Content-Type header has no boundary. Let your HTTP client set this header.');
  }
}

const malformed = (detail: string) => new Problem('malformed_body', detail);
const tooSlow = (detail: string) => new Problem('request_timeout', detail);
const tooLarge = ({ maxBytes }: Upload) => new Problem('payload_too_large', `A file may have at most ${maxBytes} bytes.`);
