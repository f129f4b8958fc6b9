import type { AccountMessages } from '../../../messages/console/account.en.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { useToast } from '../../app/toasts.tsx';
import { CheckboxField, NewPasswordField, TextField } from '../../parts/fields.tsx';
import { Form } from '../../parts/form.tsx';
import { AccountTabs } from './account-tabs.tsx';

/** The name and the password of the user. */
export const Account = () => (
  <>
    <AccountTabs />
    <Profile />
    <Password />
  </>
);

function Profile() {
  const { client, me, t: frame, reloadMe } = useConsole();
  const t = useMessages<AccountMessages>();
  const toast = useToast();
  const save = async (name: string) => {
    await client.auth.updateMe({ name });
    await reloadMe();
  };
  return (
    <section class="panel narrow">
      <h2>{t.profile.title}</h2>
      <div class="stack">
        <dl class="facts">
          <dt>{t.profile.email}</dt>
          <dd>
            {me?.email}
            <p class="field-hint">{t.profile.emailHint}</p>
          </dd>
        </dl>
        <Form
          draft="profile"
          initial={{ name: me?.name ?? '' }}
          submit={({ values }) => save(values.name)}
          onDone={() => toast(t.profile.saved)}
          action={frame.save}
        >
          <TextField name="name" label={t.profile.name} hint={t.profile.nameHint} maxLength={200} autocomplete="name" required />
        </Form>
      </div>
    </section>
  );
}

function Password() {
  const { client } = useConsole();
  const t = useMessages<AccountMessages>();
  const toast = useToast();
  return (
    <section class="panel narrow">
      <h2>{t.password.title}</h2>
      <Form
        initial={{ currentPassword: '', newPassword: '', keepTokens: false }}
        submit={({ values }) => client.auth.changePassword(values)}
        onDone={() => toast(t.password.done)}
        action={t.password.submit}
      >
        <TextField
          name="currentPassword"
          label={t.password.current}
          type="password"
          autocomplete="current-password"
          maxLength={200}
          required
        />
        <NewPasswordField name="newPassword" label={t.password.new} hint={t.password.hint} />
        <CheckboxField name="keepTokens" label={t.password.keepTokens} />
      </Form>
    </section>
  );
}
