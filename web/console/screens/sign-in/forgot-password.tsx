import { useState } from 'preact/hooks';
import type { SignInMessages } from '../../../messages/console/sign-in.en.ts';
import { fill } from '../../../messages/fill.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { to } from '../../app/place.ts';
import { TextField } from '../../parts/fields.tsx';
import { Form } from '../../parts/form.tsx';
import { Card } from './card.tsx';

/** Says the same for known and unknown addresses. */
export function ForgotPassword() {
  const { client } = useConsole();
  const t = useMessages<SignInMessages>();
  const [sentTo, setSentTo] = useState<string | null>(null);
  const back = <a href={to('/sign-in')}>{t.forgot.back}</a>;
  if (sentTo !== null) {
    return (
      <Card title={t.forgot.sentTitle} text={fill(t.forgot.sent, { email: sentTo })}>
        {back}
      </Card>
    );
  }
  const submit = async (email: string) => {
    await client.auth.requestPasswordReset({ email });
    setSentTo(email);
  };
  return (
    <Card title={t.forgot.title} text={t.forgot.text}>
      <Form initial={{ email: '' }} submit={({ values }) => submit(values.email)} action={t.forgot.submit} actions={back}>
        <TextField name="email" label={t.email} type="email" autocomplete="username" maxLength={254} required />
      </Form>
    </Card>
  );
}
