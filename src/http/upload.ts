import { createHash, type Hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from '../kernel/problem.ts';
import type { Upload } from '../kernel/route.ts';

/** How long a sender may be silent, take for the whole file, and go on sending after the response. */
export interface UploadTimeouts {
  idleMs: number;
  totalMs: number;
  lingerMs: number;
  /** Once the server has waited this long for bytes in all, they must have come at this rate on average. */
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

/** What a form may weigh beside its file. */
const framingBytes = 65_536;

/** Sockets that send a file: their time is measured here, not by the server's limit for a whole request. */
const uploading = new WeakSet<Socket>();

export const isUploading = (socket: Socket): boolean => uploading.has(socket);

/** Multipart is for uploads only; there the handler reads it as it comes. */
export function leaveMultipartToUploads(app: FastifyInstance): void {
  app.addContentTypeParser('multipart/form-data', (request, _payload, done) => {
    if (request.routeOptions.config.upload) done(null);
    else done(new Problem('unsupported_media_type'));
  });
}

/** Hooks of a route that takes an upload: before anything of the body is read, and after the answer. */
export function uploadHooks(upload: Upload, { lingerMs }: UploadTimeouts) {
  return {
    onRequest: async ({ raw, headers }: FastifyRequest): Promise<void> => {
      if (!/^multipart\/form-data\s*(;|$)/i.test(headers['content-type'] ?? '')) {
        throw new Problem('unsupported_media_type', `Send multipart/form-data with a file in the field "${upload.field}"`);
      }
      if (Number(headers['content-length']) > upload.maxBytes + framingBytes) throw tooLarge(upload);
      uploading.add(raw.socket);
      raw.socket.setTimeout?.(0);
    },
    onResponse: async ({ raw }: FastifyRequest): Promise<void> => {
      uploading.delete(raw.socket);
      if (raw.readableEnded) return;
      // Who is cut off while sending may never see the answer; but nobody is listened to for ever.
      raw.resume();
      const hangUp = setTimeout(() => raw.destroy(), lingerMs);
      raw.once('end', () => clearTimeout(hangUp));
    },
  };
}

/** The file of a form, as it comes off the wire, and the hash of what came. */
export class IncomingFile implements AsyncIterable<Buffer> {
  readonly #raw: IncomingMessage;
  readonly #upload: Upload;
  readonly #uploadTimeouts: UploadTimeouts;
  readonly #form: BusboyInstance;
  readonly #hash: Hash = createHash('sha256');
  #file: Readable | null = null;
  #fileEnded = false;
  #formEnded = false;
  /** For bytes of the sender, in all. */
  #waitedMs = 0;
  #problem: Problem | null = null;
  #wake: () => void = () => undefined;

  constructor(raw: IncomingMessage, upload: Upload, uploadTimeouts: UploadTimeouts) {
    this.#raw = raw;
    this.#upload = upload;
    this.#uploadTimeouts = uploadTimeouts;
    this.#form = openForm(raw);
  }

  /** Known when everything was read. */
  digest(): string {
    return this.#hash.digest('hex');
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    const { totalMs } = this.#uploadTimeouts;
    const whole = setTimeout(() => this.#refuse(tooSlow(`The file did not arrive within ${totalMs / 1000} seconds`)), totalMs);
    try {
      this.#listen();
      await this.#until(() => this.#file !== null || this.#formEnded);
      if (!this.#file) throw malformed(`The form has no file; send one in the field "${this.#upload.field}"`);
      yield* this.#bytesOf(this.#file);
      // Only now it is sure that nothing else follows.
      await this.#until(() => this.#formEnded);
    } catch (error) {
      throw this.#problem ?? error;
    } finally {
      clearTimeout(whole);
      this.#raw.unpipe(this.#form);
    }
  }

  async *#bytesOf(file: Readable): AsyncGenerator<Buffer> {
    const chunks = file[Symbol.asyncIterator]() as AsyncIterator<Buffer, undefined>;
    for (let bytes = 0; ; ) {
      const { value } = await this.#inTime(chunks.next());
      if (!value) break;
      bytes += value.length;
      if (bytes > this.#upload.maxBytes) throw tooLarge(this.#upload);
      this.#requirePace(bytes);
      this.#hash.update(value);
      yield value;
    }
    this.#fileEnded = true;
  }

  /** A byte now and then would keep a place for the whole time that a file may take. */
  #requirePace(bytes: number): void {
    const { rateCheckAfterMs, minBytesPerSecond } = this.#uploadTimeouts;
    if (this.#waitedMs < rateCheckAfterMs || (bytes * 1000) / this.#waitedMs >= minBytesPerSecond) return;
    throw tooSlow(`The file comes too slowly; send at least ${minBytesPerSecond} bytes a second`);
  }

  #listen(): void {
    const raw = this.#raw;
    this.#form.on('file', (name: string | undefined, part: Readable, filename: string | undefined) => this.#meetPart(name, part, filename));
    this.#form.on('error', () => this.#refuse(malformed('The form cannot be read: it ends too early or its parts are malformed')));
    this.#form.on('finish', () => {
      this.#formEnded = true;
      this.#wake();
    });
    const cut = () => this.#refuse(malformed('The connection was cut before the form was complete'));
    raw.on('error', cut);
    raw.on('close', () => raw.readableEnded || cut());
    // Gone while it waited for its turn: no event will tell.
    if (raw.destroyed) cut();
    raw.pipe(this.#form);
    let bytes = 0;
    raw.on('data', (chunk: Buffer) => {
      // Of the file itself who reads it keeps count.
      if (this.#file && !this.#fileEnded) return;
      bytes += chunk.length;
      if (bytes > framingBytes)
        this.#refuse(malformed(`The form has more than 64 KiB beside the file in the field "${this.#upload.field}"`));
    });
  }

  #meetPart(name: string | undefined, part: Readable, filename: string | undefined): void {
    const { field } = this.#upload;
    part.on('error', () => undefined);
    if (name !== field) this.#refuse(malformed(`The form has a field "${String(name).slice(0, 60)}"; all it may have is "${field}"`));
    else if (filename === undefined)
      this.#refuse(malformed(`The field "${field}" is text and no file; with curl it is ${field}=@codes.csv`));
    else if (/(^|[\\/])\.\.([\\/]|$)/.test(filename))
      this.#refuse(malformed('The name of the file is a way out of a folder; send a plain name'));
    else if (this.#file) this.#refuse(malformed(`The form has two files; send one in the field "${field}"`));
    else this.#file = part;
    this.#wake();
  }

  /** The first problem counts; whoever waits for bytes or parts gets it. */
  #refuse(problem: Problem): void {
    this.#problem ??= problem;
    this.#file?.destroy(problem);
    this.#wake();
  }

  async #until(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      if (this.#problem) throw this.#problem;
      await this.#inTime(
        new Promise<void>((resolve) => {
          this.#wake = resolve;
        }),
      );
    }
    if (this.#problem) throw this.#problem;
  }

  /** Only the sender's silence counts: while the database takes in what came, nobody waits here. */
  async #inTime<T>(waiting: Promise<T>): Promise<T> {
    const { idleMs } = this.#uploadTimeouts;
    const since = performance.now();
    const timer = setTimeout(() => this.#refuse(tooSlow(`Nothing came for ${idleMs / 1000} seconds`)), idleMs);
    try {
      return await waiting;
    } finally {
      this.#waitedMs += performance.now() - since;
      clearTimeout(timer);
    }
  }
}

/** Every part counts as a file, so that each is known by its name before anything in it is read. */
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
    throw malformed('Content-Type has no boundary; let your HTTP client set the header itself');
  }
}

const malformed = (detail: string) => new Problem('malformed_body', detail);
const tooSlow = (detail: string) => new Problem('request_timeout', detail);
const tooLarge = ({ maxBytes }: Upload) => new Problem('payload_too_large', `A file may have ${maxBytes} bytes`);
