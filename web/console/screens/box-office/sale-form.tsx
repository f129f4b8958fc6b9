import { useEffect, useRef, useState } from 'preact/hooks';
import type { BoxOfficeMessages } from '../../../messages/console/box-office.en.ts';
import { fill, plural } from '../../../messages/fill.ts';
import { Field } from '../../../ui/field.tsx';
import { money } from '../../../ui/format.ts';
import { Notice } from '../../../ui/notice.tsx';
import { useConsole, useMessages } from '../../app/console.ts';
import { useEvent } from '../../app/use-event.ts';
import { boxOffice } from '../../parts/item.ts';
import { readMoney } from '../../parts/money-text.ts';
import { errorText } from '../../parts/show.tsx';
import type { TicketGroup } from './lot-groups.ts';
import { Lots, type Quantities } from './lots.tsx';
import { readPrints, storePrints } from './printing.ts';
import type { useSale } from './use-sale.ts';

interface SaleFormProps {
  groups: TicketGroup[];
  sessionId: number | undefined;
  /** Why the last sale was refused. */
  error: unknown;
  sell: ReturnType<typeof useSale>['sell'];
}

/** What is sold, what it costs, and the cash. */
export function SaleForm({ groups, sessionId, error, sell }: SaleFormProps) {
  const { t: frame, locale } = useConsole();
  const { event } = useEvent();
  const t = useMessages<BoxOfficeMessages>();
  const form = useRef<HTMLFormElement>(null);
  const [quantities, setQuantities] = useState<Quantities>(new Map());
  const [cash, setCash] = useState('');
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [prints, setPrints] = useState(readPrints);
  const [invalid, setInvalid] = useState<string | null>(null);
  const amount = (cents: number) => money(cents, event.currency, locale);

  const lines = groups
    .flatMap(({ tickets }) => tickets)
    .flatMap(({ id, finalPrice }) => {
      const quantity = quantities.get(id) ?? 0;
      return quantity > 0 ? [{ itemId: id, quantity, price: finalPrice ?? 0 }] : [];
    });
  const count = lines.reduce((sum, { quantity }) => sum + quantity, 0);
  const total = lines.reduce((sum, { quantity, price }) => sum + quantity * price, 0);
  const received = cash.trim() === '' ? null : readMoney(cash);
  const change = received === null ? null : received - total;
  const buyer = name.trim() && email.trim() ? { name: name.trim(), email: email.trim() } : null;

  const focus = (selector: string) => form.current?.querySelector<HTMLElement>(selector)?.focus();
  useEffect(() => focus('.box-quantity'), []);
  const clear = () => {
    setQuantities(new Map());
    setCash('');
    setName('');
    setEmail('');
    setInvalid(null);
    focus('.box-quantity');
  };
  const problem = (): string | null => {
    if (cash.trim() !== '' && received === null) return frame.invalid.money;
    if (change !== null && change < 0) return fill(t.missing, { amount: amount(-change) });
    if (!buyer && (name.trim() || email.trim())) return t.buyerIncomplete;
    return !buyer && total === 0 ? t.freeNeedsBuyer : null;
  };
  const submit = (submitted: Event) => {
    submitted.preventDefault();
    if (count === 0) return focus('.box-quantity');
    const text = problem();
    setInvalid(text);
    if (text !== null) return;
    const items = lines.map(({ itemId, quantity }) => ({ itemId, quantity }));
    const order = { eventId: event.id, appCategoryId: boxOffice, items, ...(sessionId && { sessionId }), ...(buyer && { buyer }) };
    void sell({ order, total, received });
  };
  const action = total === 0 && count > 0 ? plural(locale, t.give, count) : fill(t.take, { amount: amount(total) });
  return (
    <form ref={form} class="box" noValidate onSubmit={submit} onKeyDown={(pressed) => pressed.key === 'Escape' && clear()}>
      <Lots
        groups={groups}
        quantities={quantities}
        onChange={setQuantities}
        onEnter={() => focus(count > 0 ? '#box-cash' : '.box-quantity')}
      />
      <section class="panel box-pay" aria-label={t.total}>
        <p class="box-total">
          <span>
            {t.total} · {plural(locale, t.count, count)}
          </span>
          <output aria-live="polite">{amount(total)}</output>
        </p>
        <Field id="box-cash" label={`${t.received} ${frame.optional}`} hint={t.receivedHint}>
          {(attributes) => (
            <span class="with-unit">
              <span aria-hidden="true">{event.currency}</span>
              <input
                class="input"
                inputMode="decimal"
                autocomplete="off"
                value={cash}
                onInput={(typed) => setCash(typed.currentTarget.value)}
                {...attributes}
              />
            </span>
          )}
        </Field>
        {change !== null && change >= 0 && (
          <p class="box-change">
            <span>{t.change}</span>
            <output aria-live="polite">{amount(change)}</output>
          </p>
        )}
        <details class="box-buyer" open={total === 0 && count > 0}>
          <summary>{t.buyer}</summary>
          <div class="stack">
            <Field id="box-name" label={t.name}>
              {(attributes) => (
                <input
                  class="input"
                  maxLength={200}
                  autocomplete="off"
                  value={name}
                  onInput={(typed) => setName(typed.currentTarget.value)}
                  {...attributes}
                />
              )}
            </Field>
            <Field id="box-email" label={t.email}>
              {(attributes) => (
                <input
                  class="input"
                  type="email"
                  maxLength={254}
                  autocomplete="off"
                  value={email}
                  onInput={(typed) => setEmail(typed.currentTarget.value)}
                  {...attributes}
                />
              )}
            </Field>
          </div>
        </details>
        {(invalid !== null || error !== null) && (
          <Notice tone="bad" alert>
            <p>{invalid ?? errorText(frame, error)}</p>
          </Notice>
        )}
        <button type="submit" class="button wide" disabled={count === 0}>
          {count === 0 ? t.choose : action}
        </button>
        <button type="button" class="button plain" onClick={clear}>
          {t.clear} <kbd class="box-key">Esc</kbd>
        </button>
        <label class="check">
          <input
            type="checkbox"
            checked={prints}
            onChange={() => {
              storePrints(!prints);
              setPrints(!prints);
            }}
          />
          {t.autoPrint}
        </label>
      </section>
    </form>
  );
}
