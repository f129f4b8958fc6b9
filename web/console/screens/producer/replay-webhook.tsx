import type { ProducerMessages } from '../../../messages/console/producer.en.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { DateTimeField } from '../../parts/fields.tsx';
import { Form } from '../../parts/form.tsx';
import { toInstant, toLocal } from '../../parts/local-instant.ts';

interface ReplayWebhookProps {
  webhookKey: { id: string; webhookId: number };
  onDone: () => void;
  onClose: () => void;
}

const hourMs = 3_600_000;

/** Asks from which time on all messages are sent again. */
export function ReplayWebhook({ webhookKey, onDone, onClose }: ReplayWebhookProps) {
  const { client } = useConsole();
  const { webhooks: t } = useMessages<ProducerMessages>();
  const now = Date.now();
  return (
    <Dialog title={t.replay} onClose={onClose}>
      <Form<{ from: string }>
        initial={{ from: toLocal(new Date(now - hourMs).toISOString()) }}
        submit={({ values: { from } }) => client.producers.webhooks.replay({ ...webhookKey, from: toInstant(from) })}
        onDone={onDone}
        action={t.replay}
      >
        <p>{t.replayText}</p>
        <DateTimeField name="from" label={t.replayFrom} hint={t.replayHint} required />
      </Form>
    </Dialog>
  );
}
