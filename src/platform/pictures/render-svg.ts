import { type EncodedPicture, type Encoding, encodePixels } from './encode-picture.ts';
import { loadSharp } from './load-sharp.ts';

const decoder = 'VipsForeignLoadSvgBuffer';

/**
 * Renders drawings of our own in the largest width. The decoder for SVG is allowed only meanwhile, so call this before the service accepts
 * requests.
 */
export async function renderSvgs(drawings: readonly string[], encoding: Encoding): Promise<EncodedPicture[]> {
  const sharp = await loadSharp();
  sharp.unblock({ operation: [decoder] });
  try {
    return await Promise.all(
      drawings.map(async (svg) => {
        const pixels = sharp(Buffer.from(svg), { density: densityFor(svg, Math.max(...encoding.widths)) }).removeAlpha();
        return encodePixels(sharp, await pixels.raw().toBuffer({ resolveWithObject: true }), encoding);
      }),
    );
  } finally {
    sharp.block({ operation: [decoder] });
  }
}

/** At 72 dots per inch, a drawing has as many pixels as its attribute `width` says. */
const densityFor = (svg: string, width: number): number => (72 * width) / Number(/ width="(\d+)"/.exec(svg)?.[1] ?? width);
