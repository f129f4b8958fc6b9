import { useState } from 'preact/hooks';
import type { AnswerOf } from '../../../../client/src/index.ts';
import type { ProducerMessages } from '../../../messages/console/producer.en.ts';
import { fill } from '../../../messages/fill.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { instant } from '../../../ui/format.ts';
import * as icons from '../../../ui/icons.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { useToast } from '../../app/toasts.tsx';
import { useData, usePages } from '../../app/use-data.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { SelectFilter } from '../../parts/filters.tsx';
import { errorText, Show } from '../../parts/show.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { useRepeat } from '../../parts/use-repeat.ts';
import { ReplayWebhook } from './replay-webhook.tsx';
import type { Webhook } from './webhook-status.tsx';

type Delivery = AnswerOf<'listDeliveries'>['data'][number];

const statuses = ['pending', 'delivered', 'parked'] as const;
const tones = { pending: 'warn', delivered: 'ok', parked: 'bad' };

interface DeliveriesProps {
  producerId: string;
  webhook: Webhook;
  /** The status that is shown, or `''` for all. */
  status: string;
  reloadWebhook: () => Promise<void>;
}

/** The delivery log. It is read again every few seconds, because the worker delivers in the background. */
export function Deliveries({ producerId, webhook, status, reloadWebhook }: DeliveriesProps) {
  const { client, t: frame, locale } = useConsole();
  const { webhooks: t } = useMessages<ProducerMessages>();
  const toast = useToast();
  const [opened, setOpened] = useState<Delivery | null>(null);
  const [isReplaying, setReplaying] = useState(false);
  const key = { id: producerId, webhookId: webhook.id };
  const chosen = statuses.find((each) => each === status);
  const deliveries = usePages(
    (cursor, signal) =>
      client.producers.webhooks.deliveries(
        { ...key, pageSize: 25, ...(chosen && { status: chosen }), ...(cursor && { cursor }) },
        { ...(signal && { signal }) },
      ),
    [webhook.id, status],
  );
  useRepeat(async () => {
    await Promise.all([deliveries.reload(), reloadWebhook()]);
  });
  const send = async (work: () => Promise<unknown>, done: string) => {
    try {
      await work();
      toast(done);
    } catch (error) {
      toast(errorText(frame, error), { tone: 'bad' });
    }
    await deliveries.reload();
  };
  const replayed = () => {
    setReplaying(false);
    toast(t.replayed);
    void deliveries.reload();
  };
  const again = ({ id }: Delivery) => send(() => client.producers.webhooks.sendAgain({ ...key, deliveryId: id }), t.queued);
  const columns: Column<Delivery>[] = [
    {
      key: 'type',
      label: t.message,
      cell: (delivery) => (
        <button type="button" class="webhook-message" onClick={() => setOpened(delivery)}>
          <b>{t.typeNames[delivery.type]}</b>
          {delivery.eventId !== null && <span class="soft small">{delivery.subject}</span>}
        </button>
      ),
    },
    { key: 'at', label: t.when, cell: ({ createdAt }) => instant(createdAt, 'shortMoment', locale) },
    {
      key: 'status',
      label: t.status,
      cell: (delivery) => (
        <span class="pills">
          <span class={`pill ${tones[delivery.status]}`}>{t.statuses[delivery.status]}</span>
          {delivery.nextAttemptAt !== null && delivery.attempts > 0 && (
            <span class="soft small">{fill(t.next, { when: instant(delivery.nextAttemptAt, 'shortMoment', locale) })}</span>
          )}
        </span>
      ),
    },
    { key: 'result', label: t.result, cell: (delivery) => resultOf(t, delivery) },
    {
      key: 'again',
      label: t.again,
      cell: (delivery) =>
        delivery.status === 'pending' ? (
          <span class="soft">–</span>
        ) : (
          <button
            type="button"
            class="button plain"
            aria-label={`${t.again}: ${t.typeNames[delivery.type]} ${delivery.subject}`}
            onClick={() => void again(delivery)}
          >
            {t.again}
          </button>
        ),
    },
  ];
  return (
    <section class="panel">
      <h2>{t.log}</h2>
      <div class="actions spread">
        <SelectFilter
          name="status"
          label={t.status}
          options={[{ value: '', label: t.anyStatus }, ...statuses.map((value) => ({ value, label: t.statuses[value] }))]}
        />
        <div class="actions">
          <button
            type="button"
            class="button secondary"
            disabled={webhook.paused}
            onClick={() => void send(() => client.producers.webhooks.test(key), t.testQueued)}
          >
            {t.test}
          </button>
          <button type="button" class="button secondary" disabled={webhook.paused} onClick={() => setReplaying(true)}>
            {t.replay}
          </button>
        </div>
      </div>
      <Show of={deliveries}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState icon={icons.clock} title={t.noDeliveries.title} text={t.noDeliveries.text} />
          ) : (
            <Table name="deliveries" caption={t.log} columns={columns} rows={rows} rowKey={({ id }) => id} more={deliveries.more} />
          )
        }
      </Show>
      {isReplaying && <ReplayWebhook webhookKey={key} onDone={replayed} onClose={() => setReplaying(false)} />}
      {opened && <DeliveryDialog webhookKey={key} delivery={opened} onClose={() => setOpened(null)} />}
    </section>
  );
}

function resultOf(t: ProducerMessages['webhooks'], { attempts, responseStatus, durationMs, error }: Delivery): string {
  if (attempts === 0) return t.notSent;
  return responseStatus === null ? (error ?? '') : fill(t.response, { status: responseStatus, ms: durationMs ?? 0 });
}

interface DeliveryDialogProps {
  webhookKey: { id: string; webhookId: number };
  delivery: Delivery;
  onClose: () => void;
}

/** The request and the response of one delivery. */
function DeliveryDialog({ webhookKey, delivery, onClose }: DeliveryDialogProps) {
  const { client, locale } = useConsole();
  const { webhooks: t } = useMessages<ProducerMessages>();
  const details = useData(
    (signal) => client.producers.webhooks.delivery({ ...webhookKey, deliveryId: delivery.id }, { signal }),
    [delivery.id],
  );
  return (
    <Dialog title={t.typeNames[delivery.type]} shape="wide" onClose={onClose}>
      <Show of={details}>
        {({ url, body, messageId, attempts, attemptedAt, error, response, ...rest }) => (
          <div class="stack">
            <dl class="facts">
              <dt>{t.url}</dt>
              <dd>{url}</dd>
              <dt>webhook-id</dt>
              <dd>{messageId}</dd>
              <dt>{t.attempts}</dt>
              <dd>
                {attempts}
                {attemptedAt && ` · ${instant(attemptedAt, 'yearMoment', locale)}`}
              </dd>
              <dt>{t.result}</dt>
              <dd>{resultOf(t, { ...rest, messageId, attempts, attemptedAt, error, response })}</dd>
            </dl>
            {response && (
              <>
                <h3>{t.responseBody}</h3>
                <pre class="webhook-body" tabIndex={0} aria-label={t.responseBody}>
                  {response}
                </pre>
              </>
            )}
            <h3>{t.requestBody}</h3>
            <p class="soft small">{t.requestBodyHint}</p>
            <pre class="webhook-body" tabIndex={0} aria-label={t.requestBody}>
              {JSON.stringify(JSON.parse(body), null, 2)}
            </pre>
          </div>
        )}
      </Show>
    </Dialog>
  );
}
