import type { AnswerOf } from '../../../../client/src/index.ts';
import type { ProducerMessages } from '../../../messages/console/producer.en.ts';
import { fill } from '../../../messages/fill.ts';
import { instant } from '../../../ui/format.ts';
import { useConsole, useMessages } from '../../app/console.ts';

export type Webhook = AnswerOf<'getWebhook'>;

/** Whether the webhook works, as a pill with words. */
export function WebhookStatus({ webhook: { paused, failingSince } }: { webhook: Webhook }) {
  const { locale } = useConsole();
  const { webhooks: t } = useMessages<ProducerMessages>();
  if (paused) return <span class="pill warn">{t.paused}</span>;
  if (failingSince === null) return <span class="pill ok">{t.active}</span>;
  return (
    <span class="pills">
      <span class="pill bad">{t.noResponse}</span>
      <span class="soft small">{fill(t.since, { when: instant(failingSince, 'shortMoment', locale) })}</span>
    </span>
  );
}
