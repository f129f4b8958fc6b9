import type { TicketsMessages } from '../../../messages/console/tickets.en.ts';
import { fill } from '../../../messages/fill.ts';
import { date, money } from '../../../ui/format.ts';
import { Icon } from '../../../ui/icon.tsx';
import * as icons from '../../../ui/icons.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { to } from '../../app/place.ts';
import { useEvent } from '../../app/use-event.ts';
import { buyerShareOf, FeeLine, feesOf, hasOwnFees, type TaxPolicy } from '../../parts/fees.tsx';
import { type Item, periodOf, webShop } from '../../parts/item.ts';
import { moneyText, readMoney } from '../../parts/money-text.ts';
import { InlineEdit } from './inline-edit.tsx';
import { RowMenu } from './row-menu.tsx';
import { Sales } from './sales.tsx';
import { StatusPill } from './status-pill.tsx';
import type { Sorting } from './use-sorting.ts';
import type { Tickets } from './use-tickets.ts';

export interface RowProps {
  item: Item;
  /** The group of a lot. Its lots share its quantity. */
  group: Item | null;
  policy: TaxPolicy;
  tickets: Tickets;
  sorting: Sorting;
  isSelected: boolean;
  onSelect: (isSelected: boolean) => void;
  onPeriod: () => void;
}

/** A group, a lot, or an item without a group. */
export function TicketRow(props: RowProps) {
  const { item, tickets, sorting, isSelected, onSelect, onPeriod } = props;
  const t = useMessages<TicketsMessages>();
  const { event, can } = useEvent();
  const isGroup = item.type === 'group';
  const mayEdit = can('item.manage');
  const name = { name: item.name };
  return (
    <tr role="row" class={`${isGroup ? 'tickets-group' : ''} ${item.parentId === null ? '' : 'tickets-lot'}`} {...sorting.rowOf(item.id)}>
      <td role="cell">
        <span class="tickets-name">
          {mayEdit && (
            <button type="button" class="tickets-handle" aria-label={fill(t.move, name)} title={t.moveHint} {...sorting.handleOf(item.id)}>
              <Icon path={icons.grip} size={18} />
            </button>
          )}
          {mayEdit && !isGroup && (
            <label class="tickets-check">
              <input type="checkbox" checked={isSelected} onChange={(event_) => onSelect(event_.currentTarget.checked)} />
              <span class="visually-hidden">{fill(t.select, name)}</span>
            </label>
          )}
          <span class="tickets-title">
            <a class="tickets-link" href={to(`/events/${event.id}/tickets`, { item: item.id })}>
              {item.name}
            </a>
            {item.hidden && <span class="pill brand">{t.hidden}</span>}
            {item.type !== 'group' && item.type !== 'ticket' && <span class="pill">{t.types[item.type]}</span>}
          </span>
        </span>
      </td>
      <td role="cell" class="end" data-label={t.price}>
        {isGroup ? '' : <Price {...props} mayEdit={mayEdit} />}
      </td>
      <td role="cell" class="end" data-label={t.quantity}>
        <Quantity {...props} mayEdit={mayEdit} />
      </td>
      <td role="cell" data-label={t.onSale}>
        {isGroup ? '' : <Period item={item} onEdit={mayEdit ? onPeriod : null} />}
      </td>
      <td role="cell" data-label={t.statusLabel}>
        <StatusPill item={item} />
      </td>
      <td role="cell" data-label={t.sales}>
        <Sales item={item} />
      </td>
      {mayEdit && (
        <td role="cell" class="tickets-menu">
          <RowMenu item={item} tickets={tickets} sorting={sorting} />
        </td>
      )}
    </tr>
  );
}

function Price({ item, policy, tickets, mayEdit }: RowProps & { mayEdit: boolean }) {
  const { locale, t: frame } = useConsole();
  const t = useMessages<TicketsMessages>();
  const { event } = useEvent();
  const { values } = item;
  const words = (version: Item) => (version.values ? money(version.values.price, event.currency, locale) : t.none);
  const share = buyerShareOf(values, policy);
  const keepsFees = hasOwnFees(values, policy);
  const text = values ? (
    <>
      <b>{money(values.finalPrice, values.currency, locale)}</b>
      {values.feeSale > 0 && <small>{fill(t.withFee, { fee: money(values.feeSale, values.currency, locale) })}</small>}
    </>
  ) : (
    <span class="tickets-missing">{t.setPrice}</span>
  );
  if (!mayEdit) return <span class="tickets-value">{text}</span>;
  const save = (typed: string) => {
    const { price, feeSale, feeProducer } = feesOf(readMoney(typed) ?? 0, policy, share);
    return tickets.edit(item, { values: keepsFees ? { price } : { price, feeSale, feeProducer } }, words);
  };
  const note = (typed: string) => {
    const price = readMoney(typed);
    return price === null || keepsFees ? null : <FeeLine fees={feesOf(price, policy, share)} currency={event.currency} text={t.fees} />;
  };
  return (
    <InlineEdit
      label={fill(t.priceOf, { name: item.name })}
      words={values ? money(values.finalPrice, values.currency, locale) : t.setPrice}
      value={values ? moneyText(values.price, locale) : ''}
      inputMode="decimal"
      check={(typed) => (readMoney(typed) === null ? frame.invalid.money : null)}
      save={save}
      note={note}
    >
      {text}
    </InlineEdit>
  );
}

function Quantity({ item, group, tickets, mayEdit }: RowProps & { mayEdit: boolean }) {
  const { locale, t: frame } = useConsole();
  const t = useMessages<TicketsMessages>();
  const count = (quantity: number | null) => (quantity === null ? t.noLimit : new Intl.NumberFormat(locale).format(quantity));
  const shared = group?.quantity ?? null;
  const warning = (quantity: number | null) =>
    shared !== null && quantity !== null && quantity > shared ? fill(t.moreThanGroup, { count: count(shared) }) : null;
  const text = (
    <>
      {count(item.quantity)}
      {warning(item.quantity) && <small class="tickets-warn">{warning(item.quantity)}</small>}
    </>
  );
  if (!mayEdit) return <span class="tickets-value">{text}</span>;
  const least = item.sold + item.held;
  const check = (typed: string) => {
    if (typed === '') return null;
    if (!/^\d{1,9}$/.test(typed)) return frame.invalid.number;
    return Number(typed) < least ? fill(t.tooFew, { count: least }) : null;
  };
  // What the web shop may sell follows the quantity, as long as both were the same.
  const change = (quantity: number | null) => {
    const period = periodOf(item, webShop);
    const isSame = period && quantity !== null && item.quantity === period.available;
    return { quantity, ...(isSame && { salesPeriod: { appCategoryId: webShop, available: quantity } }) };
  };
  return (
    <InlineEdit
      label={fill(t.quantityOf, { name: item.name })}
      words={count(item.quantity)}
      note={(typed) => warning(/^\d+$/.test(typed) ? Number(typed) : null)}
      value={item.quantity === null ? '' : String(item.quantity)}
      inputMode="numeric"
      check={check}
      save={(typed) => tickets.edit(item, change(typed === '' ? null : Number(typed)), ({ quantity }) => count(quantity))}
    >
      {text}
    </InlineEdit>
  );
}

function Period({ item, onEdit }: { item: Item; onEdit: (() => void) | null }) {
  const { locale } = useConsole();
  const t = useMessages<TicketsMessages>();
  const period = periodOf(item, webShop);
  const [start, finish] = [period?.start, period?.finish].map((time) => time && date(time, 'shortMoment', locale));
  const text = period ? (
    <>
      <span>{start}</span>
      <span> – {finish}</span>
    </>
  ) : (
    <span class="tickets-missing">{t.setPeriod}</span>
  );
  const label = `${fill(t.periodOf, { name: item.name })}: ${period ? `${start} – ${finish}` : t.setPeriod}`;
  if (!onEdit) return <span class="tickets-value">{text}</span>;
  return (
    <button type="button" class="tickets-value" aria-label={label} onClick={onEdit}>
      {text}
    </button>
  );
}
