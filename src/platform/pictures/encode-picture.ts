import { createHash } from 'node:crypto';
import type { OutputInfo } from 'sharp';
import { type PictureFormat, pictureFormats, type StoredPicture } from '../../kernel/picture.ts';
import { ruleViolation } from '../../kernel/problem.ts';
import { loadSharp, type Sharp } from './load-sharp.ts';
import { recogniseFormat } from './recognise-format.ts';

const maxPixels = 40_000_000;
const minSide = 64;
const maxRatio = 10;
/** How long one decoding or encoding step may take. It ends pictures that are made to be slow. */
const timeoutSeconds = 20;

/** The widths of the files. A picture is never enlarged, so a small one has fewer files. */
const pictureWidths = {
  photo: [320, 640, 1080, 1920],
  logo: [96, 192, 384, 768],
} as const;
export type PictureKind = keyof typeof pictureWidths;

interface PictureFile {
  width: number;
  format: PictureFormat;
  bytes: Buffer;
}

export interface EncodedPicture extends StoredPicture {
  files: PictureFile[];
}

/** Pixels without metadata, in sRGB, turned upright. */
interface Pixels {
  data: Buffer;
  info: OutputInfo;
}

/**
 * Decodes a picture from a user and encodes it again. Only pixels are kept, so the result has no metadata, and nothing of what else the file
 * contained.
 */
export async function encodePicture(bytes: Buffer, kind: PictureKind): Promise<EncodedPicture> {
  const format = recogniseFormat(bytes);
  const sharp = await loadSharp();
  await requireSize(sharp, bytes, format === 'avif' ? 'heif' : format);
  const widths = pictureWidths[kind];
  return encodePixels(sharp, await decode(sharp, bytes, Math.max(...widths)), { widths, formats: pictureFormats });
}

const damaged = (): never => {
  throw ruleViolation('file', 'damaged', 'The picture is damaged or incomplete. Export it again and send the new file.');
};

/** Reads only the header, so that a small file that claims to be huge costs nothing. */
async function requireSize(sharp: Sharp, bytes: Buffer, format: string): Promise<void> {
  const header = await sharp(bytes, { limitInputPixels: false }).metadata().catch(damaged);
  const { width, height, pages = 1 } = header;
  if (header.format !== format) damaged();
  if (pages > 1) throw ruleViolation('file', 'animated', 'The file has more than one picture. Send a file with a single picture.');
  if (width * height > maxPixels)
    throw ruleViolation('file', 'too_many_pixels', `The picture has ${width} × ${height} pixels. Send one with at most 40 megapixels.`);
  if (Math.min(width, height) < minSide)
    throw ruleViolation('file', 'too_small', `The picture has ${width} × ${height} pixels. Both sides need at least ${minSide} pixels.`);
  if (Math.max(width, height) > maxRatio * Math.min(width, height))
    throw ruleViolation(
      'file',
      'too_narrow',
      `The picture has ${width} × ${height} pixels. One side may be at most ${maxRatio} times the other.`,
    );
}

/** Decodes the picture once, no larger than the largest file needs it. */
async function decode(sharp: Sharp, bytes: Buffer, box: number): Promise<Pixels> {
  return sharp(bytes, { limitInputPixels: maxPixels, failOn: 'error' })
    .rotate()
    .resize({ width: box, height: box, fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb')
    .timeout({ seconds: timeoutSeconds })
    .raw()
    .toBuffer({ resolveWithObject: true })
    .catch(damaged);
}

interface Encoding {
  widths: readonly number[];
  formats: readonly PictureFormat[];
}

async function encodePixels(sharp: Sharp, { data, info }: Pixels, encoding: Encoding): Promise<EncodedPicture> {
  const { formats } = encoding;
  const { width, height, channels } = info;
  const pixels = () => sharp(data, { raw: { width, height, channels } }).timeout({ seconds: timeoutSeconds });
  const widths = [...encoding.widths.filter((each) => each < width), width];
  const files: PictureFile[] = [];
  for (const each of widths) {
    for (const format of formats) {
      const resized = each === width ? pixels() : pixels().resize({ width: each });
      const encoded = format === 'avif' ? resized.avif({ quality: 55, effort: 2 }) : resized.webp({ quality: 80 });
      files.push({ width: each, format, bytes: await encoded.toBuffer() });
    }
  }
  const average = await pixels().flatten({ background: '#ffffff' }).resize(1, 1, { fit: 'fill' }).raw().toBuffer();
  const color = `#${average.toString('hex', 0, 3)}`;
  return { id: idOf(files), width, height, widths, formats: [...formats], color, files };
}

/** Addresses a picture by its content, so that a file at an address never changes, even if a later release encodes pictures differently. */
function idOf(files: readonly PictureFile[]): string {
  const hash = createHash('sha256');
  for (const { width, format, bytes } of files) hash.update(`${width} ${format} ${bytes.length}\n`).update(bytes);
  return hash.digest('hex').slice(0, 32);
}
