import type { TicketChoice } from '../../../src/web/contract.ts';
import type { Messages } from '../../messages/catalogues.ts';
import { fill, plural } from '../../messages/fill.ts';
import { money } from '../../ui/format.ts';
import { Icon } from '../../ui/icon.tsx';
import * as icons from '../../ui/icons.ts';
import type { Sum } from './choice-rules.ts';

interface TotalBarProps {
  choice: TicketChoice;
  t: Messages['tickets'];
  sum: Sum;
  /** The lowest and the highest price on sale. Null if nothing is on sale: then there is nothing to continue with. */
  prices: { lowest: number; highest: number } | null;
  problem: string | null;
  isSending: boolean;
}

/**
 * The total and the button. On phones the bar stays at the bottom of the screen: first it leads to the tickets, then it shows the total. On
 * large screens it stays in view as soon as something is chosen.
 */
export function TotalBar({ choice: { currency, locale, isPreview }, t, sum, prices, problem, isSending }: TotalBarProps) {
  if (prices === null) return null;
  const { lowest, highest } = prices;
  const amount = (cents: number) => (cents === 0 ? t.free : money(cents, currency, locale));
  const fromText = highest === 0 ? t.free : lowest === 0 ? t.chooseFirst : fill(t.from, { price: amount(lowest) });
  return (
    <div class={`total-bar ${sum.count === 0 ? 'unfilled' : 'filled'}`}>
      <div class="total-bar-row">
        <div class="needs-script total-bar-text" aria-live="polite" aria-atomic="true">
          {sum.count === 0 ? (
            <>
              <p class="total-bar-hint">{t.chooseFirst}</p>
              <p class="total-bar-from">{fromText}</p>
            </>
          ) : (
            <>
              <p class="total-bar-amount">
                <span class="visually-hidden">{t.total}: </span>
                {amount(sum.total)}
              </p>
              <p class="total-bar-detail">
                {plural(locale, t.chosen, sum.count)}
                {sum.fees > 0 && `, ${fill(t.includesFees, { fee: amount(sum.fees) })}`}
              </p>
            </>
          )}
        </div>
        <a class="button needs-script to-tickets" href="#tickets">
          {t.see}
        </a>
        <button class="button" type="submit" aria-busy={isSending} disabled={isPreview}>
          {isSending ? t.reserving : t.continue}
          {!isSending && <Icon path={icons.arrow} size={18} />}
        </button>
      </div>
      {problem && (
        <p class="field-error" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}
