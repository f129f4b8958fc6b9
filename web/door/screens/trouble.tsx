import { useState } from 'preact/hooks';
import { plural } from '../../messages/fill.ts';
import { Icon } from '../../ui/icon.tsx';
import * as icons from '../../ui/icons.ts';
import { useApp } from './context.ts';
import { PairingCamera } from './pairing-camera.tsx';
import { SaveScans } from './save-scans.tsx';
import { SignInForm } from './sign-in.tsx';

/** What the steward must do before the app works again. Scans that were not sent stay on the device. */
export function Trouble({ kind }: { kind: 'revoked' | 'signedOut' | 'storageFull' }) {
  const { door, t, state, locale } = useApp();
  const [isPairing, setPairing] = useState(false);
  if (isPairing) return <PairingCamera onClose={() => setPairing(false)} />;
  return (
    <main class="panel">
      <Icon path={icons.alert} size={48} />
      <h1>{t.trouble[kind]}</h1>
      <p>{t.trouble[`${kind}Text`]}</p>
      {state.waiting > 0 && <p role="status">{plural(locale, t.trouble.kept, state.waiting)}</p>}
      {kind === 'signedOut' && <SignInForm />}
      {kind === 'revoked' && (
        <button class="button wide" type="button" onClick={() => setPairing(true)}>
          {t.signIn.pair}
        </button>
      )}
      {kind === 'storageFull' && (
        <button class="button wide" type="button" onClick={() => door.state.set({ trouble: null, answer: null })}>
          {t.trouble.again}
        </button>
      )}
      {state.waiting > 0 && <SaveScans />}
      <button class="text-button" type="button" onClick={() => void door.signOut()}>
        {t.choose.signOut}
      </button>
    </main>
  );
}
