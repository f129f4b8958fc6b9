import { useState } from 'preact/hooks';
import { isProblem } from '../../../../client/src/index.ts';
import type { SignInMessages } from '../../../messages/console/sign-in.en.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { navigate, to } from '../../app/place.ts';
import { NewPasswordField, TextField } from '../../parts/fields.tsx';
import { Form } from '../../parts/form.tsx';
import { Card, takeToken } from './card.tsx';

/** The link of the mail that people get when they are added to a producer or a crew. */
export function AcceptInvitation() {
  const { client, signedIn } = useConsole();
  const t = useMessages<SignInMessages>();
  const [token] = useState(takeToken);
  const [isUsed, setUsed] = useState(false);
  const newLink = <a href={to('/forgot')}>{t.newLink}</a>;
  if (token === '' || isUsed) {
    return (
      <Card title={t.invitation.title} text={isUsed ? t.invitation.used : t.noToken}>
        {isUsed ? <a href={to('/sign-in')}>{t.submit}</a> : newLink}
      </Card>
    );
  }
  const submit = async ({ name, password }: { name: string; password: string }) => {
    try {
      const { user } = await client.auth.acceptInvitation({ token, name, password, session: 'cookie' });
      navigate(to('/'), { replace: true });
      signedIn(user);
    } catch (error) {
      if (!isProblem(error, 'wrong_state')) throw error;
      setUsed(true);
    }
  };
  return (
    <Card title={t.invitation.title} text={t.invitation.text}>
      <Form initial={{ name: '', password: '' }} submit={({ values }) => submit(values)} action={t.invitation.submit} actions={newLink}>
        <TextField name="name" label={t.invitation.name} autocomplete="name" maxLength={200} required />
        <NewPasswordField name="password" label={t.invitation.password} hint={t.choose.hint} />
      </Form>
    </Card>
  );
}
