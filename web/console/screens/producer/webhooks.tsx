import { useState } from 'preact/hooks';
import type { ProducerMessages } from '../../../messages/console/producer.en.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Icon } from '../../../ui/icon.tsx';
import * as icons from '../../../ui/icons.ts';
import type { ScreenProps } from '../../app/area.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { to } from '../../app/place.ts';
import { useData, usePages } from '../../app/use-data.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Form } from '../../parts/form.tsx';
import { Show } from '../../parts/show.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { ProducerHead } from './producer-head.tsx';
import { chosenTypes, valuesOf, WebhookFields, type WebhookValues } from './webhook-fields.tsx';
import { WebhookSecret } from './webhook-secret.tsx';
import { type Webhook, WebhookStatus } from './webhook-status.tsx';

/** The addresses that get the changes of the producer. */
export function Webhooks({ params: { producerId = '' } }: ScreenProps) {
  const { client } = useConsole();
  const { title, webhooks: t } = useMessages<ProducerMessages>();
  const [isCreating, setCreating] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const producer = useData((signal) => client.producers.get({ id: producerId }, { signal }), [producerId]);
  const webhooks = usePages(
    (cursor, signal) =>
      client.producers.webhooks.list({ id: producerId, pageSize: 50, ...(cursor && { cursor }) }, { ...(signal && { signal }) }),
    [producerId],
  );
  const create = async (values: WebhookValues) => {
    const made = await client.producers.webhooks.create({ id: producerId, url: values.url, types: chosenTypes(values) });
    setCreating(false);
    setSecret(made.secret);
    void webhooks.reload();
  };
  const columns: Column<Webhook>[] = [
    { key: 'url', label: t.url, cell: ({ url }) => <b class="webhook-url">{url}</b>, sort: ({ url }) => url },
    { key: 'types', label: t.types, cell: ({ types }) => types.map((type) => t.typeNames[type]).join(', ') },
    { key: 'status', label: t.status, cell: (webhook) => <WebhookStatus webhook={webhook} /> },
  ];
  return (
    <>
      <ProducerHead producerId={producerId} title={producer.data?.name ?? title}>
        <button type="button" class="button" onClick={() => setCreating(true)}>
          <Icon path={icons.plus} />
          {t.add}
        </button>
      </ProducerHead>
      <p class="soft">{t.about}</p>
      <Show of={webhooks}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState icon={icons.share} title={t.none.title} text={t.none.text} />
          ) : (
            <Table
              name="webhooks"
              caption={t.title}
              columns={columns}
              rows={rows}
              rowKey={({ id }) => id}
              href={({ id }) => to(`/producers/${producerId}/webhooks/${id}`)}
              more={webhooks.more}
            />
          )
        }
      </Show>
      {isCreating && (
        <Dialog title={t.add} shape="wide" onClose={() => setCreating(false)}>
          <Form<WebhookValues>
            initial={valuesOf({ url: '', types: ['order.approved', 'order.refunded'] })}
            submit={({ values }) => create(values)}
            action={t.create}
          >
            <WebhookFields />
          </Form>
        </Dialog>
      )}
      {secret !== null && <WebhookSecret secret={secret} text={t.secretText} onClose={() => setSecret(null)} />}
    </>
  );
}
