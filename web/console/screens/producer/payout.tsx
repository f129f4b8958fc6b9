import { type AnswerOf, etagOf } from '../../../../client/src/index.ts';
import type { ProducerMessages } from '../../../messages/console/producer.en.ts';
import { fill } from '../../../messages/fill.ts';
import type { ScreenProps } from '../../app/area.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { useToast } from '../../app/toasts.tsx';
import { type Loaded, useData } from '../../app/use-data.ts';
import { useConfirm } from '../../parts/confirm.tsx';
import { TextField } from '../../parts/fields.tsx';
import { Form } from '../../parts/form.tsx';
import { errorText, Show } from '../../parts/show.tsx';
import { ProducerHead } from './producer-head.tsx';

type Producer = AnswerOf<'getProducer'>;

/** Who gets the money of sales. Owners read it, admins of the platform change it. */
export function Payout({ params: { producerId = '' } }: ScreenProps) {
  const { client, can } = useConsole();
  const t = useMessages<ProducerMessages>();
  const loaded = useData((signal) => client.producers.get({ id: producerId }, { signal }), [producerId]);
  return (
    <>
      <ProducerHead producerId={producerId} title={loaded.data?.name ?? t.title} />
      <Show of={loaded}>
        {(producer) => (
          <section class="panel narrow">
            <h2>{t.payout.title}</h2>
            <div class="stack">
              <p>{producer.payout ? fill(t.payout.own, producer.payout) : t.payout.platform}</p>
              {can('admin') ? <PayoutForm producer={producer} loaded={loaded} /> : <p class="soft">{t.payout.ask}</p>}
            </div>
          </section>
        )}
      </Show>
    </>
  );
}

function PayoutForm({ producer, loaded }: { producer: Producer; loaded: Loaded<Producer> }) {
  const { client, t: frame } = useConsole();
  const t = useMessages<ProducerMessages>();
  const toast = useToast();
  const confirm = useConfirm();
  const { id, name, payout } = producer;
  const valuesOf = (from: Producer) => ({ provider: from.payout?.provider ?? '', account: from.payout?.account ?? '' });
  const reread = async () => {
    const fresh = await client.producers.get({ id });
    return { values: valuesOf(fresh), version: etagOf(fresh) };
  };
  const remove = async () => {
    const question = { title: t.payout.remove, text: fill(t.payout.removeText, { name }), action: t.payout.remove, danger: true };
    if (!(await confirm(question))) return;
    try {
      await client.producers.deletePayout({ id });
      toast(t.payout.removed);
      await loaded.reload();
    } catch (error) {
      toast(errorText(frame, error), { tone: 'bad' });
    }
  };
  return (
    <Form
      draft={`payout-${id}`}
      initial={valuesOf(producer)}
      version={etagOf(producer)}
      reread={reread}
      submit={async ({ values, version }) =>
        loaded.set(await client.producers.setPayout({ id, ...values }, { ...(version && { ifMatch: version }) }))
      }
      onDone={() => toast(t.payout.saved)}
      action={t.payout.save}
      actions={
        payout && (
          <button type="button" class="button danger" onClick={() => void remove()}>
            {t.payout.remove}
          </button>
        )
      }
    >
      <TextField name="provider" label={t.payout.provider} hint={t.payout.providerHint} pattern="[a-z]{2,20}" required />
      <TextField name="account" label={t.payout.account} hint={t.payout.accountHint} maxLength={100} required />
    </Form>
  );
}
