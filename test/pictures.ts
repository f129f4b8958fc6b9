import { crc32, deflateSync } from 'node:zlib';
import { type Form, form } from './multipart.ts';

export const pictureForm = (content: Buffer | string, filename = 'poster.jpg'): Form => form([{ content, filename }]);

interface PngOptions {
  width: number;
  height: number;
  /** Chunks between the header and the pixels. */
  before?: Buffer[];
  /** The pixels. By default the picture is black. */
  pixels?: Buffer;
}

/** Builds a PNG without a library, so that it can also claim what is not true. */
export function png({ width, height, before = [], pixels = Buffer.alloc((width * 3 + 1) * height) }: PngOptions): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  return Buffer.concat([signature, pngChunk('IHDR', header), ...before, pngChunk('IDAT', deflateSync(pixels)), pngChunk('IEND')]);
}

export function pngChunk(name: string, content = Buffer.alloc(0)): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), content]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(content.length, 0);
  framed.set(body, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}
