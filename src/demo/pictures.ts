import { drawMosaic } from '../kernel/mosaic.ts';
import type { StoredPicture } from '../kernel/picture.ts';
import { type PictureContext, storePicture } from '../platform/pictures/picture-store.ts';
import { renderSvgs } from '../platform/pictures/render-svg.ts';
import { demoEvents } from './events.ts';

/** The pictures of the demo data, by the link of their event. The cover of the home page has the key `cover`. */
export type DemoPictures = ReadonlyMap<string, StoredPicture>;

/** One width in one format, so that the first start stays fast. */
const posters = { widths: [720], formats: ['webp'], isDrawing: true } as const;
const covers = { ...posters, widths: [1440] } as const;

/** Draws and stores the pictures of the demo data. This writes files, so it is done before the transaction that writes the demo data. */
export async function drawDemoPictures(context: PictureContext, at: Date): Promise<DemoPictures> {
  const drawings = demoEvents.map(({ link, category }) => drawMosaic({ seed: link, category }));
  const cover = drawMosaic({ seed: 'cover', category: 'festivals', columns: 20, rows: 8 });
  const encoded = [...(await renderSvgs(drawings, posters)), ...(await renderSvgs([cover], covers))];
  const stored = await Promise.all(encoded.map((picture) => storePicture(context, at, picture)));
  const names = [...demoEvents.map(({ link }) => link), 'cover'];
  return new Map(stored.map((picture, i) => [names[i] ?? '', picture]));
}
