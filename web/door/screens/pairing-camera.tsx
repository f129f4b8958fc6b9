import { useRef, useState } from 'preact/hooks';
import { useApp } from './context.ts';
import { Viewfinder } from './viewfinder.tsx';

/** Pairs the device with the QR code that the console shows. */
export function PairingCamera({ onClose }: { onClose: () => void }) {
  const { door, t } = useApp();
  const [error, setError] = useState<string | null>(null);
  const tried = useRef(new Set<string>());
  const tryCode = async (text: string) => {
    tried.current.add(text);
    const problem = await door.pair(text);
    if (problem === null) return onClose();
    setError(problem === 'offline' ? t.signIn.offline : t.signIn.pairInvalid);
    // Without a network the same code may work in a moment.
    if (problem === 'offline') setTimeout(() => tried.current.delete(text), 2_000);
  };
  return (
    <main class="pairing">
      <Viewfinder onFrame={([text]) => text !== undefined && !tried.current.has(text) && void tryCode(text)} />
      <div class="panel">
        <h1>{t.signIn.pair}</h1>
        <p class="soft">{t.signIn.pairText}</p>
        {error && (
          <p class="field-error" role="alert">
            {error}
          </p>
        )}
        <button class="button secondary wide" type="button" onClick={onClose}>
          {t.signIn.cancel}
        </button>
      </div>
    </main>
  );
}
