import { type AnswerOf, isProblem } from '../../../../client/src/index.ts';
import type { OverviewMessages } from '../../../messages/console/overview.en.ts';
import { fill, plural } from '../../../messages/fill.ts';
import { money } from '../../../ui/format.ts';
import { Notice } from '../../../ui/notice.tsx';
import { useConsole, useMessages } from '../../app/console.ts';
import { useEvent } from '../../app/use-event.ts';
import { useLive } from '../../app/use-live.ts';
import { Progress } from '../../parts/progress.tsx';
import { Show } from '../../parts/show.tsx';

type Refunds = AnswerOf<'getCancellation'>;

/** How far the refunds of a cancelled event are. Nothing is shown if the event was cancelled without refunds. */
export function Cancellation() {
  const { client, locale } = useConsole();
  const t = useMessages<OverviewMessages>();
  const { event } = useEvent();
  const refunds = useLive<Refunds | Record<string, never>>(
    (options) =>
      client.events.cancellation({ id: event.id }, options).catch((error: unknown) => {
        if (isProblem(error, 'not_found')) return {};
        throw error;
      }),
    [event.id],
  );
  return (
    <Show of={refunds} skeleton={null}>
      {(data) => {
        if (!('status' in data)) return null;
        const { status, orders, refunded, failed, amount } = data as Refunds;
        const count = new Intl.NumberFormat(locale);
        return (
          <section class="panel stack">
            <h2>{t.refunds.title}</h2>
            {status === 'running' ? (
              <Progress
                label={fill(t.refunds.running, { refunded: count.format(refunded), orders: count.format(orders) })}
                value={refunded}
                of={orders}
              />
            ) : (
              <p>{plural(locale, t.refunds.done, refunded, { amount: money(amount, event.currency, locale) })}</p>
            )}
            {failed > 0 && <Notice tone="bad" title={plural(locale, t.refunds.failed, failed)} />}
          </section>
        );
      }}
    </Show>
  );
}
