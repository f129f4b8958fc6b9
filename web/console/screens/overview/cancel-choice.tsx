import { useId, useState } from 'preact/hooks';
import type { OverviewMessages } from '../../../messages/console/overview.en.ts';
import { fill, plural } from '../../../messages/fill.ts';
import { Field } from '../../../ui/field.tsx';
import { money } from '../../../ui/format.ts';
import { useConsole } from '../../app/console.ts';
import type { Dashboard } from './overview.tsx';

/** What the reader has chosen. The dialog reads it when it is confirmed. */
export interface CancelValues {
  reason: string;
  refund: boolean;
}

/** The dialog is shown outside of the screen, so it gets the texts and permissions of the screen from here. */
interface CancelChoiceProps {
  t: OverviewMessages;
  canRefund: boolean;
  values: CancelValues;
  figures: Dashboard | null;
  currency: string;
}

/** What cancelling does, in numbers, and whether the orders are refunded. */
export function CancelChoice({ t, canRefund, values, figures, currency }: CancelChoiceProps) {
  const { t: frame, locale } = useConsole();
  const [refund, setRefund] = useState(values.refund);
  const id = useId();
  const totals = figures?.totals;
  const sold = totals ? totals.sold + totals.courtesy : 0;
  return (
    <div class="stack">
      <p>{t.cancel.text}</p>
      {sold > 0 && (
        <p>
          <strong>{plural(locale, t.cancel.sold, sold)}.</strong>{' '}
          {refund ? fill(t.cancel.paid, { amount: money(totals?.paid ?? 0, currency, locale) }) : t.cancel.noRefund}
        </p>
      )}
      {totals !== undefined && totals.held > 0 && refund && <p>{plural(locale, t.cancel.held, totals.held)}</p>}
      {canRefund && (
        <label class="check">
          <input
            type="checkbox"
            checked={refund}
            onChange={({ currentTarget: { checked } }) => {
              values.refund = checked;
              setRefund(checked);
            }}
          />
          {t.cancel.refund}
        </label>
      )}
      <Field id={id} label={`${t.cancel.reason} ${frame.optional}`}>
        {(attributes) => (
          <input
            class="input"
            maxLength={500}
            autocomplete="off"
            onInput={({ currentTarget: { value } }) => {
              values.reason = value;
            }}
            {...attributes}
          />
        )}
      </Field>
    </div>
  );
}
