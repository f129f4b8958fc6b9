import type { ProducersMessages } from '../../../messages/console/producers.en.ts';
import { fill } from '../../../messages/fill.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { navigate, to } from '../../app/place.ts';
import { useToast } from '../../app/toasts.tsx';
import { SelectField, TextField } from '../../parts/fields.tsx';
import { Form } from '../../parts/form.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { currencyOptions } from './currencies.ts';

type Values = { name: string; currency: string; 'owner.email': string; 'owner.name': string | null };

/** A producer with its first owner, who gets a mail and chooses a password. */
export function NewProducer() {
  const { client, locale, reloadMe } = useConsole();
  const t = useMessages<ProducersMessages>();
  const toast = useToast();
  const submit = async ({ name, currency, 'owner.email': email, 'owner.name': ownerName }: Values) => {
    const { id } = await client.producers.create({ name, currency, owner: { email, ...(ownerName && { name: ownerName }) } });
    await reloadMe();
    toast(fill(t.new.done, { name, email }));
    navigate(to(`/producers/${id}`));
  };
  return (
    <>
      <PageHead title={t.create} about={t.new.text} back={{ href: to('/producers'), label: t.title }} />
      <div class="narrow">
        <Form<Values>
          draft="new-producer"
          initial={{ name: '', currency: 'BRL', 'owner.email': '', 'owner.name': null }}
          submit={({ values }) => submit(values)}
          action={t.create}
        >
          <TextField name="name" label={t.name} maxLength={200} autocomplete="off" required autofocus />
          <SelectField name="currency" label={t.currency} hint={t.currencyHint} options={currencyOptions(locale)} required />
          <TextField
            name="owner.email"
            type="email"
            label={t.new.ownerEmail}
            hint={t.new.ownerHint}
            maxLength={254}
            autocomplete="off"
            required
          />
          <TextField name="owner.name" label={t.new.ownerName} maxLength={200} autocomplete="off" />
        </Form>
      </div>
    </>
  );
}
