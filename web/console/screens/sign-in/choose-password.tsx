import { useState } from 'preact/hooks';
import type { SignInMessages } from '../../../messages/console/sign-in.en.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { navigate, to } from '../../app/place.ts';
import { NewPasswordField } from '../../parts/fields.tsx';
import { Form } from '../../parts/form.tsx';
import { Card, takeToken } from './card.tsx';

/** The link of the mail that `POST /auth/password/forgot` sends. */
export function ChoosePassword() {
  const { client } = useConsole();
  const t = useMessages<SignInMessages>();
  const [token] = useState(takeToken);
  const newLink = <a href={to('/forgot')}>{t.newLink}</a>;
  if (token === '') {
    return (
      <Card title={t.choose.title} text={t.noToken}>
        {newLink}
      </Card>
    );
  }
  const submit = async (newPassword: string) => {
    await client.auth.resetPassword({ token, newPassword });
    navigate(to('/sign-in', { changed: 1 }), { replace: true });
  };
  return (
    <Card title={t.choose.title} text={t.choose.text}>
      <Form initial={{ newPassword: '' }} submit={({ values }) => submit(values.newPassword)} action={t.choose.submit} actions={newLink}>
        <NewPasswordField name="newPassword" label={t.choose.password} hint={t.choose.hint} />
      </Form>
    </Card>
  );
}
