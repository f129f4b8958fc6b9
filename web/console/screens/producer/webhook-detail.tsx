import { useState } from 'preact/hooks';
import type { ProducerMessages } from '../../../messages/console/producer.en.ts';
import { fill } from '../../../messages/fill.ts';
import type { ScreenProps } from '../../app/area.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { navigate, to } from '../../app/place.ts';
import { useToast } from '../../app/toasts.tsx';
import { useData } from '../../app/use-data.ts';
import { useConfirm } from '../../parts/confirm.tsx';
import { Form } from '../../parts/form.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { errorText, Show } from '../../parts/show.tsx';
import { Deliveries } from './deliveries.tsx';
import { chosenTypes, valuesOf, WebhookFields, type WebhookValues } from './webhook-fields.tsx';
import { WebhookSecret } from './webhook-secret.tsx';
import { type Webhook, WebhookStatus } from './webhook-status.tsx';

/** One webhook: its settings and what was delivered. */
export function WebhookDetail({ params: { producerId = '', webhookId = '' }, query }: ScreenProps) {
  const { client } = useConsole();
  const { webhooks: t } = useMessages<ProducerMessages>();
  const key = { id: producerId, webhookId };
  const webhook = useData((signal) => client.producers.webhooks.get(key, { signal }), [producerId, webhookId]);
  const list = `/producers/${producerId}/webhooks`;
  return (
    <>
      <PageHead
        title={webhook.data ? new URL(webhook.data.url).host : t.title}
        back={{ href: to(list), label: t.title }}
        {...(webhook.data && { about: <WebhookStatus webhook={webhook.data} /> })}
      />
      <Show of={webhook}>
        {(data) => (
          <div class="stack">
            <Deliveries producerId={producerId} webhook={data} status={query.get('status') ?? ''} reloadWebhook={webhook.reload} />
            <Settings key={data.id} producerId={producerId} webhook={data} onChange={webhook.set} />
          </div>
        )}
      </Show>
    </>
  );
}

interface SettingsProps {
  producerId: string;
  webhook: Webhook;
  onChange: (webhook: Webhook) => void;
}

function Settings({ producerId, webhook, onChange }: SettingsProps) {
  const { client, t: frame } = useConsole();
  const { webhooks: t } = useMessages<ProducerMessages>();
  const toast = useToast();
  const confirm = useConfirm();
  const [secret, setSecret] = useState<string | null>(null);
  const key = { id: producerId, webhookId: webhook.id };
  const { host } = new URL(webhook.url);
  const attempt = async (work: () => Promise<unknown>) => {
    try {
      await work();
    } catch (error) {
      toast(errorText(frame, error), { tone: 'bad' });
    }
  };
  const setPaused = (paused: boolean) =>
    attempt(async () => {
      onChange(await client.producers.webhooks.update({ ...key, paused }));
      toast(paused ? t.nowPaused : t.nowActive);
    });
  const rotate = async () => {
    if (!(await confirm({ title: t.rotate, text: t.rotateText, action: t.rotate }))) return;
    await attempt(async () => {
      const { secret: made, ...changed } = await client.producers.webhooks.rotateSecret(key);
      onChange(changed);
      setSecret(made);
    });
  };
  const remove = async () => {
    const question = { title: fill(t.deleteTitle, { host }), text: t.deleteText, action: t.delete, typed: host, danger: true };
    if (!(await confirm(question))) return;
    await attempt(async () => {
      await client.producers.webhooks.delete(key);
      toast(t.deleted);
      navigate(to(`/producers/${producerId}/webhooks`));
    });
  };
  return (
    <section class="panel">
      <h2>{t.settings}</h2>
      <Form<WebhookValues>
        initial={valuesOf(webhook)}
        submit={async ({ values }) =>
          onChange(await client.producers.webhooks.update({ ...key, url: values.url, types: chosenTypes(values) }))
        }
        onDone={() => toast(frame.saved)}
        action={frame.save}
      >
        <WebhookFields />
      </Form>
      <hr class="webhook-line" />
      <div class="actions">
        <button type="button" class="button secondary" onClick={() => void setPaused(!webhook.paused)}>
          {webhook.paused ? t.resume : t.pause}
        </button>
        <button type="button" class="button secondary" onClick={() => void rotate()}>
          {t.rotate}
        </button>
        <button type="button" class="button danger" onClick={() => void remove()}>
          {t.delete}
        </button>
      </div>
      {secret !== null && <WebhookSecret secret={secret} text={t.rotatedText} onClose={() => setSecret(null)} />}
    </section>
  );
}
