import Type, { type Static } from 'typebox';
import { ruleViolation } from './problem.ts';
import { closed, named, nullable } from './schema.ts';

export const pictureFormats = ['avif', 'webp'] as const;
export type PictureFormat = (typeof pictureFormats)[number];

/** A stored picture. Each of its widths is a file in each of its formats. */
export interface StoredPicture {
  /** A hash of the content of all files. */
  id: string;
  /** The size of the largest file. */
  width: number;
  height: number;
  widths: number[];
  formats: PictureFormat[];
  /** The average colour, such as `#5b2be0`. */
  color: string;
}

/** The upload of a picture. The format is recognised by the content of the file, whatever the client states. */
export const pictureUpload = {
  field: 'file',
  mediaType: 'image/jpeg, image/png, image/webp, image/avif',
  maxBytes: 10_485_760,
  beforeTransaction: true,
} as const;

/** The end of the description of every operation that receives a picture. */
export const pictureRules =
  'Send a multipart form with the picture in the field `file`: JPEG, PNG, WebP or AVIF, at most 10 MiB and 40 megapixels, not animated. The format is recognised by the content of the file. The picture is turned upright and stored as AVIF and WebP in up to four widths, without metadata. Other formats return 415, and pictures that are damaged, animated, too large or too small return 422. The files have addresses below `/pictures/` that never change their content, and can be kept in caches for a year.';

const srcset = 'addresses with widths, for the attribute `srcset`';
const fields = {
  src: Type.String({ description: 'The address of the largest WebP file, relative to the address of the service' }),
  width: Type.Integer({ description: 'The width of the largest file in pixels' }),
  height: Type.Integer({ description: 'The height of the largest file in pixels' }),
  color: Type.String({ description: 'The average colour, to show until the picture is loaded', examples: ['#5b2be0'] }),
  webp: Type.String({ description: `WebP: ${srcset}` }),
  avif: nullable(Type.String({ description: `AVIF: ${srcset}. Null if the picture has no AVIF files` })),
};
/** All that a page needs to show a picture with `srcset`, without a shift of the layout. */
export const Picture = named('Picture', fields);
export type Picture = Static<typeof Picture>;
export const NullablePicture = nullable(closed(fields));

/**
 * The address of a picture on another server, or of a picture that was uploaded to this service. Other schemes are refused, because a
 * `javascript:` URL would run code.
 */
export const PictureAddress = Type.String({
  maxLength: 2000,
  pattern: '^(https?://[^\\s<>"]+|/pictures/[0-9a-f]{32}-\\d{1,4}\\.webp)$',
  examples: ['https://images.example.com/poster.jpg'],
});

/**
 * Whether an object gets another picture if a client sends this address. A client that sends back the address that it read changes nothing.
 * The address of another uploaded picture is refused, so that no object shows the picture of another one.
 */
export function changesImage(
  sent: string | null | undefined,
  current: string | null,
  field: string,
  uploadOperation: string,
): sent is string | null {
  if (sent === undefined || sent === current) return false;
  if (sent?.startsWith('/pictures/')) throw ruleViolation(field, 'not_uploaded', `Upload the picture with ${uploadOperation}.`);
  return true;
}

const addressOf = (id: string, width: number, format: PictureFormat): string => `/pictures/${id}-${width}.${format}`;

export function describePicture({ id, width, height, widths, formats, color }: StoredPicture): Picture {
  const setOf = (format: PictureFormat) => widths.map((each) => `${addressOf(id, each, format)} ${each}w`).join(', ');
  return {
    src: addressOf(id, width, 'webp'),
    width,
    height,
    color,
    webp: setOf('webp'),
    avif: formats.includes('avif') ? setOf('avif') : null,
  };
}

/** The field with an address and the field with a picture, of an object that has either an address or an uploaded picture. */
export function describeImage(address: string | null, stored: StoredPicture | null): { address: string | null; picture: Picture | null } {
  if (!stored) return { address, picture: null };
  const picture = describePicture(stored);
  return { address: picture.src, picture };
}

const hash = '3f1c8a5e0b7d49268c1f0e5d7a9b2c46';
export const examplePicture: Picture = describePicture({
  id: hash,
  width: 1080,
  height: 1350,
  widths: [320, 640, 1080],
  formats: ['avif', 'webp'],
  color: '#5b2be0',
});
