import { useState } from 'preact/hooks';
import type { ProducersMessages } from '../../../messages/console/producers.en.ts';
import { fill } from '../../../messages/fill.ts';
import { money } from '../../../ui/format.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { to } from '../../app/place.ts';
import { useToast } from '../../app/toasts.tsx';
import { useData } from '../../app/use-data.ts';
import { useConfirm } from '../../parts/confirm.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/fields.tsx';
import { Form } from '../../parts/form.tsx';
import { errorText, Show } from '../../parts/show.tsx';
import type { Producer } from './producer-detail.tsx';

interface MoneyProps {
  producer: Producer;
  onChange: () => Promise<void>;
}

/** The fee of the platform, and the account that gets the money. Only admins change them. */
export function Money({ producer, onChange }: MoneyProps) {
  const { client, locale, can } = useConsole();
  const t = useMessages<ProducersMessages>();
  const { id, currency, payout } = producer;
  const tax = useData((signal) => client.tax.get({ producerId: id, price: 8_000 }, { signal }), [id]);
  const isAdmin = can('admin');
  const text = (cents: number) => money(cents, currency, locale);
  return (
    <section class="panel stack">
      <h2>{t.money.title}</h2>
      <Show of={tax} skeleton={<div class="skeleton platform-state" />}>
        {({ price, finalPrice, producerReceives }) => (
          <p>{fill(t.money.example, { price: text(price), buyer: text(finalPrice), producer: text(producerReceives) })}</p>
        )}
      </Show>
      {isAdmin && (
        <p>
          <a href={to('/platform/tax')}>{t.money.changeTax}</a>
        </p>
      )}
      {payout !== undefined && (
        <>
          <dl class="facts">
            <dt>{t.money.payout}</dt>
            <dd>{payout ? `${payout.provider} · ${payout.account}` : t.money.platformAccount}</dd>
          </dl>
          {isAdmin ? <Payout producer={producer} onChange={onChange} /> : <p class="field-hint">{t.money.onlyAdmins}</p>}
        </>
      )}
    </section>
  );
}

function Payout({ producer: { id, name, payout }, onChange }: MoneyProps) {
  const { client, t: frame } = useConsole();
  const t = useMessages<ProducersMessages>();
  const toast = useToast();
  const confirm = useConfirm();
  const [isOpen, setOpen] = useState(false);
  const remove = async () => {
    const question = { title: t.money.removeAccount, text: fill(t.money.removeText, { name }), action: t.money.removeAccount, typed: name };
    if (!(await confirm({ ...question, danger: true }))) return;
    try {
      await client.producers.deletePayout({ id });
      await onChange();
    } catch (error) {
      toast(errorText(frame, error), { tone: 'bad' });
    }
  };
  return (
    <div class="actions">
      <button type="button" class="button plain" onClick={() => setOpen(true)}>
        {payout ? t.money.changeAccount : t.money.setAccount}
      </button>
      {payout && (
        <button type="button" class="text-button" onClick={() => void remove()}>
          {t.money.removeAccount}
        </button>
      )}
      {isOpen && (
        <Dialog title={t.money.setAccount} onClose={() => setOpen(false)}>
          <Form
            initial={{ provider: payout?.provider ?? 'stripe', account: payout?.account ?? '' }}
            submit={({ values }) => client.producers.setPayout({ id, ...values })}
            onDone={() => {
              setOpen(false);
              void onChange();
            }}
            action={frame.save}
          >
            <p class="soft">{t.money.accountText}</p>
            <TextField name="provider" label={t.money.provider} pattern="[a-z]{2,20}" maxLength={20} required />
            <TextField
              name="account"
              label={t.money.account}
              hint={t.money.accountHint}
              maxLength={100}
              autocomplete="off"
              required
              autofocus
            />
          </Form>
        </Dialog>
      )}
    </div>
  );
}
