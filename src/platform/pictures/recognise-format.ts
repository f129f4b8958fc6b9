import { Problem, ruleViolation } from '../../kernel/problem.ts';

export type SourceFormat = 'jpeg' | 'png' | 'webp' | 'avif';

const animated = () => ruleViolation('file', 'animated', 'The picture is animated. Send a picture with a single frame.');

const unknown = () =>
  new Problem('unsupported_media_type', 'The file is not a JPEG, PNG, WebP or AVIF picture. Convert it to one of these formats first.');

/**
 * Recognises the format by the first bytes of the file. The name of the file and the type that the client states are ignored. Throws if the
 * format is not supported, or if the picture is animated.
 */
export function recogniseFormat(bytes: Buffer): SourceFormat {
  const text = (from: number, to: number) => bytes.toString('latin1', from, to);
  if (text(0, 3) === '\xff\xd8\xff') return 'jpeg';
  if (text(0, 8) === '\x89PNG\r\n\x1a\n') return refuseAnimatedPng(bytes);
  if (text(0, 4) === 'RIFF' && text(8, 12) === 'WEBP') return refuseAnimatedWebp(bytes);
  if (text(4, 8) === 'ftyp') return recogniseAvif(bytes);
  throw unknown();
}

/** An animated PNG has a chunk `acTL` before its pixels. The decoder would silently use its first frame. */
function refuseAnimatedPng(bytes: Buffer): 'png' {
  for (let at = 8; at + 8 <= bytes.length; at += 12 + bytes.readUInt32BE(at)) {
    const chunk = bytes.toString('latin1', at + 4, at + 8);
    if (chunk === 'acTL') throw animated();
    if (chunk === 'IDAT') break;
  }
  return 'png';
}

/** A WebP file with more than one image begins with a chunk `VP8X`, whose first byte has a bit for animation. */
function refuseAnimatedWebp(bytes: Buffer): 'webp' {
  const isAnimated = bytes.toString('latin1', 12, 16) === 'VP8X' && ((bytes[20] ?? 0) & 0b10) !== 0;
  if (isAnimated) throw animated();
  return 'webp';
}

/** The first box of the file lists the brands: `avif` for a still picture, `avis` for a sequence. HEIC files have other brands. */
function recogniseAvif(bytes: Buffer): 'avif' {
  const end = Math.min(bytes.readUInt32BE(0), bytes.length, 256);
  const brands = new Set([bytes.toString('latin1', 8, 12)]);
  for (let at = 16; at + 4 <= end; at += 4) brands.add(bytes.toString('latin1', at, at + 4));
  if (brands.has('avis')) throw animated();
  if (!brands.has('avif')) throw unknown();
  return 'avif';
}
