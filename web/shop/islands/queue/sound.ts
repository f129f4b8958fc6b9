/** Browsers allow sound only after a click, so the visitor turns it on. The notes are made here: there is no file to load. */
export function startSound(button: HTMLButtonElement | null, isOn: string): { play(): void } {
  let context: AudioContext | null = null;
  button?.addEventListener('click', () => {
    context ??= new AudioContext();
    void context.resume();
    button.setAttribute('aria-pressed', 'true');
    const label = button.querySelector('[data-label]');
    if (label) label.textContent = isOn;
    chime(context, 0.08);
  });
  return {
    play: () => {
      if (context) chime(context, 0.3);
    },
  };
}

const notes = [659, 784, 988];

function chime(context: AudioContext, volume: number): void {
  for (const [i, frequency] of notes.entries()) {
    const start = context.currentTime + i * 0.18;
    const gain = new GainNode(context, { gain: 0 });
    gain.gain.setValueAtTime(volume, start);
    gain.gain.exponentialRampToValueAtTime(0.001, start + 0.5);
    const tone = new OscillatorNode(context, { frequency });
    tone.connect(gain).connect(context.destination);
    tone.start(start);
    tone.stop(start + 0.5);
  }
}
