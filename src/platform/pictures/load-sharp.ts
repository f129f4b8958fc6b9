import type SharpModule from 'sharp';

export type Sharp = typeof SharpModule;

/** The decoders for the formats that can be uploaded. All others are blocked, for example those for SVG, GIF, PDF and TIFF. */
const allowedDecoders = ['VipsForeignLoadJpegBuffer', 'VipsForeignLoadPngBuffer', 'VipsForeignLoadWebpBuffer', 'VipsForeignLoadHeifBuffer'];

let loading: Promise<Sharp> | null = null;

/** Loads the library on first use, because it takes time and memory, and many processes never need it. */
export function loadSharp(): Promise<Sharp> {
  loading ??= import('sharp').then(({ default: sharp }) => {
    // One thread per picture and no cache of earlier operations, so that uploads leave CPU time and memory to the sale.
    sharp.concurrency(1);
    sharp.cache(false);
    sharp.block({ operation: ['VipsForeignLoad'] });
    sharp.unblock({ operation: allowedDecoders });
    return sharp;
  });
  return loading;
}
