import type { PictureFormat } from '../../kernel/picture.ts';
import { type EncodedPicture, encodePixels } from './encode-picture.ts';
import { loadSharp } from './load-sharp.ts';

const decoder = 'VipsForeignLoadSvgBuffer';

interface Rendering {
  /** The widths of the files. The largest one is the width of the rendered drawing. */
  widths: readonly number[];
  formats: readonly PictureFormat[];
}

/**
 * Renders drawings of our own, and only those: the decoder for SVG is allowed only while they are rendered. Call this before the service
 * accepts requests.
 */
export async function renderSvgs(drawings: readonly string[], { widths, formats }: Rendering): Promise<EncodedPicture[]> {
  const sharp = await loadSharp();
  sharp.unblock({ operation: [decoder] });
  try {
    return await Promise.all(
      drawings.map(async (svg) => {
        const pixels = sharp(Buffer.from(svg), { density: densityFor(svg, Math.max(...widths)) }).removeAlpha();
        return encodePixels(sharp, await pixels.raw().toBuffer({ resolveWithObject: true }), widths, formats);
      }),
    );
  } finally {
    sharp.block({ operation: [decoder] });
  }
}

/** At 72 dots per inch, a drawing has as many pixels as its attribute `width` says. */
const densityFor = (svg: string, width: number): number => (72 * width) / Number(/ width="(\d+)"/.exec(svg)?.[1] ?? width);
