import { useEffect } from 'preact/hooks';
import { isProblem } from '../../../../client/src/index.ts';
import type { SettingsMessages } from '../../../messages/console/settings.en.ts';
import { fill, plural } from '../../../messages/fill.ts';
import { money } from '../../../ui/format.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { useData } from '../../app/use-data.ts';
import { useEvent } from '../../app/use-event.ts';
import { Progress } from '../../parts/progress.tsx';
import { Show } from '../../parts/show.tsx';

const pollMs = 2_000;

/** How far the refunds of a cancelled event are. */
export function Cancellation({ onRefund }: { onRefund: () => void }) {
  const { client, locale } = useConsole();
  const t = useMessages<SettingsMessages>();
  const { event, can } = useEvent();
  const progress = useData(
    (signal) =>
      client.events.cancellation({ id: event.id }, { signal }).catch((error: unknown) => {
        if (isProblem(error, 'not_found')) return null;
        throw error;
      }),
    [event.id],
  );
  const { data, reload } = progress;
  useEffect(() => {
    const timer = data?.status === 'running' ? setTimeout(() => void reload(), pollMs) : undefined;
    return () => clearTimeout(timer);
  }, [data, reload]);
  return (
    <section class="panel stack">
      <h2>{t.cancel.refunds}</h2>
      <Show of={progress}>
        {(state) => (
          <>
            {state === null ? (
              <p>{t.cancel.noRefunds}</p>
            ) : (
              <>
                <Progress
                  label={state.status === 'running' ? t.cancel.running : t.cancel.finished}
                  value={state.orders === 0 ? 1 : state.refunded + state.failed}
                  of={Math.max(1, state.orders)}
                />
                <p>
                  {plural(locale, t.cancel.refundedOrders, state.refunded, { amount: money(state.amount, event.currency, locale) })}
                  {state.failed > 0 && ` ${fill(t.cancel.failed, { count: state.failed })}`}
                </p>
              </>
            )}
            {can('order.refund') && (state === null || state.failed > 0) && (
              <div class="actions">
                <button type="button" class="button danger" onClick={onRefund}>
                  {t.cancel.refundNow}
                </button>
              </div>
            )}
          </>
        )}
      </Show>
    </section>
  );
}
