import { createDecoder, type Decoder } from './decoder.ts';

export type CameraProblem = 'refused' | 'missing' | 'busy';

export interface CameraView {
  /** Null if the camera has no light. */
  torch: boolean | null;
  hasOthers: boolean;
}

/** The light is not in the types of TypeScript: only phones have it. */
type TorchCapabilities = MediaTrackCapabilities & { torch?: boolean };

const problemOf = (error: unknown): CameraProblem => {
  const name = error instanceof DOMException ? error.name : '';
  if (name === 'NotAllowedError' || name === 'SecurityError') return 'refused';
  return name === 'NotReadableError' || name === 'AbortError' ? 'busy' : 'missing';
};

/** Gets the texts of all codes in a frame, and when the camera showed the frame. */
export type OnFrame = (texts: string[], seenAt: number) => void;

/** Shows the camera in a video element and reads the codes in view, one frame after the other. */
export class Camera {
  readonly #video: HTMLVideoElement;
  readonly #onFrame: OnFrame;
  #stream: MediaStream | null = null;
  /** Created together with the camera, because it loads files. */
  readonly #decoder: Promise<Decoder> = createDecoder();
  #isReading = false;
  #isClosed = false;

  constructor(video: HTMLVideoElement, onFrame: OnFrame) {
    this.#video = video;
    this.#onFrame = onFrame;
  }

  /** Starts the rear camera, or the one with this id. Returns why it does not work. */
  async open(deviceId?: string): Promise<CameraProblem | null> {
    const which = deviceId ? { deviceId: { exact: deviceId } } : { facingMode: { ideal: 'environment' } };
    try {
      this.#stopStream();
      this.#stream = await navigator.mediaDevices.getUserMedia({ video: { ...which, width: { ideal: 1280 }, height: { ideal: 720 } } });
    } catch (error) {
      return problemOf(error);
    }
    if (this.#isClosed) return this.#stopStream();
    this.#video.srcObject = this.#stream;
    await this.#video.play().catch(() => undefined);
    if (!this.#isReading) void this.#readFrames(await this.#decoder);
    return null;
  }

  async #readFrames(decoder: Decoder): Promise<void> {
    this.#isReading = true;
    while (!this.#isClosed) {
      await nextFrame(this.#video);
      if (this.#isClosed || this.#video.readyState < 2 || document.hidden) continue;
      const seenAt = performance.now();
      this.#onFrame(await decoder.read(this.#video).catch(() => []), seenAt);
    }
  }

  get #track(): MediaStreamTrack | undefined {
    return this.#stream?.getVideoTracks()[0];
  }

  async view(): Promise<CameraView> {
    const devices = await navigator.mediaDevices.enumerateDevices();
    const { torch: hasTorch = false }: TorchCapabilities = this.#track?.getCapabilities?.() ?? {};
    return { torch: hasTorch ? false : null, hasOthers: devices.filter(({ kind }) => kind === 'videoinput').length > 1 };
  }

  async setTorch(isOn: boolean): Promise<void> {
    await this.#track?.applyConstraints({ advanced: [{ torch: isOn } as MediaTrackConstraintSet] });
  }

  async useNext(): Promise<void> {
    const cameras = (await navigator.mediaDevices.enumerateDevices()).filter(({ kind }) => kind === 'videoinput');
    const current = cameras.findIndex(({ deviceId }) => deviceId === this.#track?.getSettings().deviceId);
    await this.open(cameras[(current + 1) % cameras.length]?.deviceId);
  }

  #stopStream(): null {
    for (const track of this.#stream?.getTracks() ?? []) track.stop();
    return null;
  }

  close(): void {
    this.#isClosed = true;
    this.#stopStream();
    void this.#decoder.then((decoder) => decoder.close());
  }
}

/** Resolves at the next frame of the video. A hidden page gets none, so it resolves after a second at the latest. */
const nextFrame = (video: HTMLVideoElement): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, 1_000);
    const done = () => {
      clearTimeout(timer);
      resolve();
    };
    if ('requestVideoFrameCallback' in video) video.requestVideoFrameCallback(done);
    else requestAnimationFrame(done);
  });
