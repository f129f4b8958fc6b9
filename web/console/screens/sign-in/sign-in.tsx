import { useEffect, useState } from 'preact/hooks';
import { isProblem } from '../../../../client/src/index.ts';
import type { SignInMessages } from '../../../messages/console/sign-in.en.ts';
import { Notice } from '../../../ui/notice.tsx';
import { useConsole, useMessages } from '../../app/console.ts';
import { getPasskey, hasPasskeys } from '../../app/passkeys.ts';
import { navigate, to, usePlace } from '../../app/place.ts';
import { TextField } from '../../parts/fields.tsx';
import { Form } from '../../parts/form.tsx';
import { Card } from './card.tsx';

/** What `second_factor_required` says. */
interface SecondStep {
  loginToken: string;
  factors: string[];
  webauthn?: Record<string, unknown>;
}

/** Shown at every address while nobody is signed in. */
export function SignIn() {
  const { me } = useConsole();
  const { path, query } = usePlace();
  const t = useMessages<SignInMessages>();
  const [second, setSecond] = useState<SecondStep | null>(null);
  const [hint, setHint] = useState<string | null>(query.get('changed') === null ? null : t.choose.done);
  useEffect(() => {
    if (me && path === '/sign-in') navigate(to('/'), { replace: true });
  }, [me, path]);
  const restart = (text: string | null) => {
    setHint(text);
    setSecond(null);
  };
  return second ? <SecondFactor step={second} onRestart={restart} /> : <Password hint={hint} onSecond={setSecond} />;
}

function Password({ hint, onSecond }: { hint: string | null; onSecond: (step: SecondStep) => void }) {
  const { client, signedIn } = useConsole();
  const t = useMessages<SignInMessages>();
  const submit = async ({ email, password }: { email: string; password: string }) => {
    try {
      const { user } = await client.auth.login({ email: email ?? '', password, session: 'cookie' });
      signedIn(user);
    } catch (error) {
      if (!isProblem(error, 'second_factor_required')) throw error;
      onSecond(error.body as unknown as SecondStep);
    }
  };
  return (
    <Card title={t.title} text={t.text}>
      {hint && <Notice tone="ok">{hint}</Notice>}
      <Form
        initial={{ email: '', password: '' }}
        submit={({ values }) => submit(values)}
        action={t.submit}
        actions={<a href={to('/forgot')}>{t.forgotLink}</a>}
      >
        <TextField name="email" label={t.email} type="email" autocomplete="username" maxLength={254} required />
        <TextField name="password" label={t.password} type="password" autocomplete="current-password" maxLength={200} required />
      </Form>
    </Card>
  );
}

function SecondFactor({ step, onRestart }: { step: SecondStep; onRestart: (hint: string | null) => void }) {
  const { client, signedIn } = useConsole();
  const t = useMessages<SignInMessages>();
  const [isRefused, setRefused] = useState(false);
  const { loginToken, factors, webauthn } = step;
  const complete = async (proof: { code: string } | { webauthn: Record<string, unknown> }) => {
    try {
      const { user } = await client.auth.completeLogin({ loginToken, session: 'cookie', ...proof });
      signedIn(user);
    } catch (error) {
      if (!isProblem(error, 'invalid_one_time_token')) throw error;
      onRestart(t.second.expired);
    }
  };
  const withPasskey = async () => {
    setRefused(false);
    await complete({ webauthn: await getPasskey(webauthn ?? {}) }).catch(() => setRefused(true));
  };
  const canUsePasskey = webauthn && factors.includes('webauthn') && hasPasskeys;
  return (
    <Card title={t.second.title} text={t.second.text}>
      {canUsePasskey && (
        <>
          <button type="button" class="button wide" onClick={() => void withPasskey().catch(() => setRefused(true))}>
            {t.second.passkey}
          </button>
          {isRefused && (
            <Notice tone="bad" alert>
              {t.second.passkeyFailed}
            </Notice>
          )}
          <p class="divider soft">{t.second.or}</p>
        </>
      )}
      <Form
        initial={{ code: '' }}
        submit={({ values }) => complete({ code: values.code })}
        action={t.second.submit}
        actions={
          <button type="button" class="button plain" onClick={() => onRestart(null)}>
            {t.second.back}
          </button>
        }
      >
        <TextField name="code" label={t.second.code} autocomplete="one-time-code" maxLength={50} required autofocus />
      </Form>
    </Card>
  );
}
