import { useState } from 'preact/hooks';
import type { PlatformMessages } from '../../../messages/console/platform.en.ts';
import { fill } from '../../../messages/fill.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { useToast } from '../../app/toasts.tsx';
import { useData } from '../../app/use-data.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { EventPicker } from '../../parts/event-picker.tsx';
import { MoneyField } from '../../parts/fields.tsx';
import { Form } from '../../parts/form.tsx';
import { errorText, Show } from '../../parts/show.tsx';
import { PercentField } from './percent-field.tsx';
import { LiveTaxExample, type Policy } from './tax-example.tsx';

/** Whose policy it is. Without an event it is the policy of all events of the producer. */
export interface PolicyTarget extends Policy {
  producer: { id: number; name: string };
  event: { id: number; title: string } | null;
  currency: string;
}

interface EditPolicyProps {
  target: PolicyTarget | null;
  onClose: () => void;
  onDone: () => unknown;
}

/** Sets the policy of a producer or of an event. A new one first asks whose it is. */
export function EditPolicy({ target, onClose, onDone }: EditPolicyProps) {
  const t = useMessages<PlatformMessages>();
  const [chosen, setChosen] = useState(target);
  if (!chosen) return <ChooseTarget onChoose={setChosen} onClose={onClose} />;
  const name = chosen.event?.title ?? chosen.producer.name;
  return (
    <Dialog title={fill(t.tax.of, { name })} shape="side" onClose={onClose}>
      <PolicyForm
        target={chosen}
        onDone={() => {
          onClose();
          onDone();
        }}
      />
    </Dialog>
  );
}

function PolicyForm({ target: { producer, event, currency, ...policy }, onDone }: { target: PolicyTarget; onDone: () => void }) {
  const { client, t: frame } = useConsole();
  const t = useMessages<PlatformMessages>();
  const toast = useToast();
  const { ratePercent, minimum, taxDistribution } = policy;
  const save = (values: Omit<Policy, 'minimum'> & { minimum: number | null }) => {
    const body = { ...values, minimum: values.minimum ?? 0 };
    return event ? client.tax.setEventPolicy({ id: event.id, ...body }) : client.tax.setProducerPolicy({ id: producer.id, ...body });
  };
  return (
    <Form
      initial={{ ratePercent, minimum, taxDistribution }}
      submit={({ values }) => save(values)}
      onDone={() => {
        toast(frame.saved);
        onDone();
      }}
      action={frame.save}
    >
      <p class="soft">{event ? t.tax.forEvent : t.tax.forProducer}</p>
      <PercentField name="ratePercent" label={t.tax.rate} hint={t.tax.rateHint} />
      <MoneyField name="minimum" label={t.tax.minimum} hint={t.tax.minimumHint} currency={currency} />
      <PercentField name="taxDistribution" label={t.tax.buyerPart} hint={t.tax.buyerPartHint} />
      <LiveTaxExample currency={currency} />
    </Form>
  );
}

function ChooseTarget({ onChoose, onClose }: { onChoose: (target: PolicyTarget) => void; onClose: () => void }) {
  const { client, t: frame } = useConsole();
  const t = useMessages<PlatformMessages>();
  const toast = useToast();
  const [isForEvent, setForEvent] = useState(false);
  const producers = useData(async (signal) => (await client.producers.list({ pageSize: 200 }, { signal })).data, []);
  const attempt = async (work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      toast(errorText(frame, error), { tone: 'bad' });
    }
  };
  const chooseProducer = ({ id, name, currency }: { id: number; name: string; currency: string }) =>
    attempt(async () => {
      const policy = await client.tax.producerPolicy({ id });
      onChoose({ ...policy, producer: { id, name }, event: null, currency });
    });
  const chooseEvent = ({ id, title, currency }: { id: number; title: string; currency: string }) =>
    attempt(async () => {
      const policy = await client.tax.eventPolicy({ id });
      onChoose({ ...policy, event: { id, title }, producer: { id: 0, name: '' }, currency });
    });
  if (isForEvent) return <EventPicker title={t.tax.chooseEvent} labels={t.picker} onClose={onClose} onPick={chooseEvent} />;
  return (
    <Dialog title={t.tax.chooseTarget} onClose={onClose}>
      <button type="button" class="button plain" onClick={() => setForEvent(true)}>
        {t.tax.oneEvent}
      </button>
      <p class="soft">{t.tax.orProducer}</p>
      <div class="picker-events">
        <Show of={producers}>
          {(rows) => (
            <ul class="plain-list">
              {rows.map(({ id, name, currency }) => (
                <li key={id}>
                  <button type="button" class="menu-item" onClick={() => void chooseProducer({ id, name, currency })}>
                    <b>{name}</b>
                  </button>
                </li>
              ))}
            </ul>
          )}
        </Show>
      </div>
    </Dialog>
  );
}
