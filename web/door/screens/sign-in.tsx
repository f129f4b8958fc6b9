import { useState } from 'preact/hooks';
import { type Locale, locales } from '../../../src/kernel/locale.ts';
import { TextField } from '../../ui/field.tsx';
import { Logo } from '../../ui/logo.tsx';
import { unlockSound } from '../feedback.ts';
import { useApp } from './context.ts';
import { PairingCamera } from './pairing-camera.tsx';
import { submitting } from './submit.ts';

const languageNames: Record<Locale, string> = { 'pt-BR': 'Português', en: 'English', es: 'Español' };

/** The form alone, also shown when a session has ended. */
export function SignInForm() {
  const { door, t } = useApp();
  const [error, setError] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const submit = submitting(async (field) => {
    unlockSound();
    setBusy(true);
    const reply = await door.signIn(field('email'), field('password'));
    setBusy(false);
    if (reply.kind === 'offline') setError(t.signIn.offline);
    else if (reply.kind === 'busy') setError(t.signIn.tooMany);
    else if (reply.kind !== 'ok') setError(t.signIn.wrong);
  });
  return (
    <form class="form" onSubmit={submit}>
      <TextField
        id="email"
        name="email"
        type="email"
        label={t.signIn.email}
        value=""
        required
        autocomplete="username"
        autocapitalize="none"
      />
      <TextField
        id="password"
        name="password"
        type="password"
        label={t.signIn.password}
        value=""
        required
        autocomplete="current-password"
      />
      {error && (
        <p class="field-error" role="alert">
          {error}
        </p>
      )}
      <button class="button wide" type="submit" aria-busy={isBusy} disabled={isBusy}>
        {t.signIn.submit}
      </button>
    </form>
  );
}

export function SignIn() {
  const { t, locale, setLocale } = useApp();
  const [isPairing, setPairing] = useState(false);
  if (isPairing) return <PairingCamera onClose={() => setPairing(false)} />;
  return (
    <main class="panel">
      <Logo size={56} />
      <h1>{t.signIn.title}</h1>
      <p class="soft">{t.signIn.text}</p>
      <SignInForm />
      <p class="divider">{t.signIn.or}</p>
      <button class="button secondary wide" type="button" onClick={() => setPairing(true)}>
        {t.signIn.pair}
      </button>
      <label class="language">
        <span class="visually-hidden">{t.signIn.language}</span>
        <select class="input" value={locale} onChange={(event) => setLocale(event.currentTarget.value as Locale)}>
          {locales.map((each) => (
            <option key={each} value={each} lang={each}>
              {languageNames[each]}
            </option>
          ))}
        </select>
      </label>
    </main>
  );
}
