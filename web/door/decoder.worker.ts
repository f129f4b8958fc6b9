import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader';
import wasmAddress from 'zxing-wasm/reader/zxing_reader.wasm?url';

export interface DecoderReply {
  texts: string[];
}

// Without `locateFile` the package loads its wasm from another server. It is loaded at once, not with the first frame.
void prepareZXingModule({ overrides: { locateFile: () => wasmAddress }, fireImmediately: true });

const canvas = new OffscreenCanvas(1, 1);
const context = canvas.getContext('2d', { willReadFrequently: true });

async function read(frame: ImageBitmap): Promise<string[]> {
  const { width, height } = frame;
  canvas.width = width;
  canvas.height = height;
  context?.drawImage(frame, 0, 0);
  frame.close();
  const picture = context?.getImageData(0, 0, width, height);
  if (!picture) return [];
  const found = await readBarcodes(picture, { formats: ['QRCode'], tryInvert: true, tryHarder: true, maxNumberOfSymbols: 4 });
  return found.filter(({ isValid }) => isValid).map(({ text }) => text);
}

onmessage = async ({ data }: MessageEvent<ImageBitmap>) => {
  const reply: DecoderReply = { texts: await read(data).catch(() => []) };
  postMessage(reply);
};
