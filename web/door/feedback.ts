/** How good the news of an answer is. It decides colour, sound and vibration. */
export type Tone = 'ok' | 'warn' | 'bad';

/** Frequencies in hertz with their start in seconds, and the pattern of the vibration in milliseconds. */
const signals: Record<Tone, { notes: [number, number][]; wave: OscillatorType; vibration: number[] }> = {
  ok: {
    notes: [
      [880, 0],
      [1320, 0.09],
    ],
    wave: 'sine',
    vibration: [60],
  },
  warn: {
    notes: [
      [520, 0],
      [520, 0.16],
    ],
    wave: 'triangle',
    vibration: [120, 80, 120],
  },
  bad: {
    notes: [
      [220, 0],
      [165, 0.14],
      [165, 0.28],
    ],
    wave: 'square',
    vibration: [250, 100, 250],
  },
};

let audio: AudioContext | null = null;

/** Browsers play sound only after a tap, so the first tap calls this. */
export function unlockSound(): void {
  audio ??= new AudioContext();
  void audio.resume().catch(() => undefined);
}

export function giveFeedback(tone: Tone, isSilent: boolean): void {
  const { notes, wave, vibration } = signals[tone];
  navigator.vibrate?.(vibration);
  if (isSilent || audio?.state !== 'running') return;
  for (const [frequency, start] of notes) playNote(audio, frequency, audio.currentTime + start, wave);
}

function playNote(context: AudioContext, frequency: number, at: number, wave: OscillatorType): void {
  const tone = new OscillatorNode(context, { type: wave, frequency });
  const volume = new GainNode(context, { gain: 0.4 });
  volume.gain.setValueAtTime(0.4, at);
  volume.gain.exponentialRampToValueAtTime(0.001, at + 0.13);
  tone.connect(volume).connect(context.destination);
  tone.start(at);
  tone.stop(at + 0.14);
}
