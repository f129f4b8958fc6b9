import type { Picture } from '../kernel/picture.ts';
import type { Image, Poster } from './contract.ts';

interface WithPoster {
  link: string;
  category: string;
  /** The address of a poster on another server, or of an uploaded picture. */
  poster: string | null;
  picture: Picture | null;
}

/** A picture that was uploaded to this service, in several widths. */
const uploaded = ({ src, width, height, webp, avif }: Picture): Image => ({
  src,
  sources: [...(avif === null ? [] : [{ type: 'image/avif', srcset: avif }]), { type: 'image/webp', srcset: webp }],
  width,
  height,
});

/** The size of a picture on another server is unknown. Pages crop it to this shape. */
const onOtherServer = (src: string): Image => ({ src, sources: [], width: 1200, height: 800 });

export function imageOf(address: string | null, picture: Picture | null): Image | null {
  if (picture) return uploaded(picture);
  return address === null ? null : onOtherServer(address);
}

/** The shapes in which a mosaic is drawn, in tiles. */
export const mosaicShapes = { tall: { columns: 8, rows: 10 }, wide: { columns: 12, rows: 8 }, banner: { columns: 20, rows: 8 } } as const;
export type MosaicShape = keyof typeof mosaicShapes;

const mosaicOf = (link: string, category: string, shape: MosaicShape): Image => ({
  src: `/mosaic/${category}/${link}-${shape}.svg`,
  sources: [],
  width: mosaicShapes[shape].columns * 100,
  height: mosaicShapes[shape].rows * 100,
});

/** The poster of an event. An event without a poster gets a mosaic that is drawn from its link. */
export function posterOf({ link, category, poster, picture }: WithPoster): Poster {
  const image = imageOf(poster, picture);
  if (image) return { tall: image, wide: image, banner: image };
  const mosaic = (shape: MosaicShape) => mosaicOf(link, category, shape);
  return { tall: mosaic('tall'), wide: mosaic('wide'), banner: mosaic('banner') };
}
