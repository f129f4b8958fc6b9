import type { DecoderReply } from './decoder.worker.ts';
// oxlint-disable-next-line import/default -- Vite makes the module of this address.
import decoderAddress from './decoder.worker.ts?worker&url';
import { workerUrl } from './trusted-url.ts';

/** Returns the texts of all QR codes in the current frame of a video. */
export interface Decoder {
  read(video: HTMLVideoElement): Promise<string[]>;
  close(): void;
}

interface BarcodeDetector {
  detect(source: HTMLVideoElement): Promise<{ rawValue: string }[]>;
}

interface BarcodeDetectorClass {
  new (options: { formats: string[] }): BarcodeDetector;
  getSupportedFormats(): Promise<string[]>;
}

/** The longer side of a frame in pixels. Larger pictures take longer and read no more codes. */
const frameSize = 640;

async function nativeDecoder(): Promise<Decoder | null> {
  const { BarcodeDetector: Detector } = globalThis as { BarcodeDetector?: BarcodeDetectorClass };
  const formats = (await Detector?.getSupportedFormats().catch(() => [])) ?? [];
  if (!Detector || !formats.includes('qr_code')) return null;
  const detector = new Detector({ formats: ['qr_code'] });
  return { read: async (video) => (await detector.detect(video)).map(({ rawValue }) => rawValue), close: () => undefined };
}

/** Reads codes in a worker, so that the screen stays quick. */
function workerDecoder(): Decoder {
  const worker = new Worker(workerUrl(decoderAddress), { type: 'module' });
  return {
    async read(video) {
      const scale = Math.min(1, frameSize / Math.max(video.videoWidth, video.videoHeight));
      const size = { resizeWidth: Math.round(video.videoWidth * scale), resizeHeight: Math.round(video.videoHeight * scale) };
      const frame = await createImageBitmap(video, size);
      return new Promise((resolve, reject) => {
        const once = { once: true };
        worker.addEventListener('message', ({ data }: MessageEvent<DecoderReply>) => resolve(data.texts), once);
        worker.addEventListener('error', ({ message }) => reject(new Error(message)), once);
        worker.postMessage(frame, [frame]);
      });
    },
    close: () => worker.terminate(),
  };
}

export const createDecoder = async (): Promise<Decoder> => (await nativeDecoder()) ?? workerDecoder();
