import { fill } from '../../../messages/fill.ts';
import { Notice } from '../../../ui/notice.tsx';
import type { OrderProps } from './order.tsx';
import { amountOf } from './summary.tsx';

/** Money that goes back to the buyer, and disputes. */
export function MoneyBack(props: OrderProps) {
  const { t, page } = props;
  const texts = { underway: t.order.backUnderway, done: t.order.backDone, failed: t.order.backFailed };
  const tones = { underway: 'plain', done: 'ok', failed: 'bad' } as const;
  return (
    <>
      {page.moneyBack.map(({ amount, state }) => (
        <Notice tone={tones[state]} {...(page.view === 'paid' && { title: t.order.partlyRefunded })}>
          <p>{fill(texts[state], { amount: amountOf(props, amount) })}</p>
        </Notice>
      ))}
      {(page.dispute === 'open' || page.dispute === 'lost') && (
        <Notice tone="warn" title={page.dispute === 'open' ? t.order.disputeOpenTitle : t.order.disputeLostTitle}>
          <p>{page.dispute === 'open' ? t.order.disputeOpenText : t.order.disputeLostText}</p>
        </Notice>
      )}
    </>
  );
}
