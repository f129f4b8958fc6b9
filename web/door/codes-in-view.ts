/** A code is out of view when this many frames in a row did not show it, for at least this time. One blurred frame is not enough. */
const missedFrames = 3;
const missedMs = 1_000;

interface Sighting {
  lastSeen: number;
  missed: number;
  announced: boolean;
}

/** Remembers the codes in view of the camera, so that each is announced once until it leaves the view. */
export class CodesInView {
  readonly #codes = new Map<string, Sighting>();

  /** Takes the codes of one frame. Returns those that were not announced yet, in the order of the frame. */
  see(texts: readonly string[], now: number): string[] {
    for (const [text, sighting] of this.#codes) {
      if (texts.includes(text)) continue;
      sighting.missed++;
      if (sighting.missed >= missedFrames && now - sighting.lastSeen >= missedMs) this.#codes.delete(text);
    }
    for (const text of texts) {
      const announced = this.#codes.get(text)?.announced ?? false;
      this.#codes.set(text, { lastSeen: now, missed: 0, announced });
    }
    return [...new Set(texts)].filter((text) => !this.#codes.get(text)?.announced);
  }

  announce(text: string): void {
    const sighting = this.#codes.get(text);
    if (sighting) sighting.announced = true;
  }
}
