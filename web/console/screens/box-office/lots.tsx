import type { BoxOfficeMessages } from '../../../messages/console/box-office.en.ts';
import { fill } from '../../../messages/fill.ts';
import { money } from '../../../ui/format.ts';
import { Icon } from '../../../ui/icon.tsx';
import * as icons from '../../../ui/icons.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import type { TicketGroup } from './lot-groups.ts';

/** How many tickets of each item. */
export type Quantities = ReadonlyMap<number, number>;

interface LotsProps {
  groups: TicketGroup[];
  quantities: Quantities;
  onChange: (quantities: Quantities) => void;
  onEnter: () => void;
}

/** The most that one order of the box office may have. The server checks all other limits. */
const maximumOfOrder = 500;

const steps: Partial<Record<string, number>> = { ArrowRight: 1, '+': 1, ArrowLeft: -1, '-': -1 };
const moves: Partial<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

/** The tickets on sale. Up and down choose one, left, right and digits set its quantity, Enter goes on. */
export function Lots({ groups, quantities, onChange, onEnter }: LotsProps) {
  const t = useMessages<BoxOfficeMessages>();
  /** Returns the quantity within the limits. */
  const set = ({ id, remaining }: TicketGroup['tickets'][number], wanted: number): number => {
    const quantity = Math.max(0, Math.min(wanted, remaining ?? maximumOfOrder, maximumOfOrder));
    onChange(new Map([...quantities, [id, quantity]]));
    return quantity;
  };
  const listen = (event: KeyboardEvent & { currentTarget: HTMLElement }) => {
    const input = event.target as HTMLInputElement;
    if (!input.matches('.box-quantity')) return;
    const lot = groups.flatMap(({ tickets }) => tickets).find(({ id }) => String(id) === input.name);
    const [step, move] = [steps[event.key], moves[event.key]];
    if (event.key === 'Enter') onEnter();
    else if (step !== undefined && lot) set(lot, (quantities.get(lot.id) ?? 0) + step);
    else if (move !== undefined) {
      const inputs = [...event.currentTarget.querySelectorAll<HTMLInputElement>('.box-quantity')];
      inputs[inputs.indexOf(input) + move]?.focus();
    } else return;
    event.preventDefault();
  };
  return (
    <div class="box-lots" onKeyDown={listen}>
      {groups.map((group) => (
        <fieldset key={group.id ?? 0}>
          <legend>{group.name ?? t.tickets}</legend>
          {group.tickets.map((lot) => (
            <Lot key={lot.id} lot={lot} quantity={quantities.get(lot.id) ?? 0} onSet={(quantity) => set(lot, quantity)} />
          ))}
        </fieldset>
      ))}
      <p class="box-keys soft small" aria-hidden="true">
        <span>
          <kbd class="box-key">↑</kbd> <kbd class="box-key">↓</kbd> {t.keys.move}
        </span>
        <span>
          <kbd class="box-key">←</kbd> <kbd class="box-key">→</kbd> <kbd class="box-key">0–9</kbd> {t.keys.amount}
        </span>
        <span>
          <kbd class="box-key">Enter</kbd> {t.keys.enter}
        </span>
        <span>
          <kbd class="box-key">Esc</kbd> {t.keys.escape}
        </span>
      </p>
    </div>
  );
}

interface LotProps {
  lot: TicketGroup['tickets'][number];
  quantity: number;
  onSet: (wanted: number) => number;
}

function Lot({ lot: { id, name, finalPrice, currency, remaining }, quantity, onSet }: LotProps) {
  const { locale } = useConsole();
  const t = useMessages<BoxOfficeMessages>();
  return (
    <div class={`box-lot ${quantity > 0 ? 'chosen' : ''}`}>
      <span class="box-name">
        <b>{name}</b>
        <span class="soft">
          {money(finalPrice ?? 0, currency, locale)}
          {remaining !== null && ` · ${fill(t.left, { count: remaining })}`}
        </span>
      </span>
      <button type="button" class="icon-button" tabIndex={-1} aria-label={fill(t.less, { name })} onClick={() => onSet(quantity - 1)}>
        <Icon path={icons.minus} />
      </button>
      <input
        class="input box-quantity"
        name={String(id)}
        inputMode="numeric"
        autocomplete="off"
        maxLength={3}
        aria-label={fill(t.quantity, { name })}
        value={quantity}
        onFocus={(event) => event.currentTarget.select()}
        onInput={(event) => {
          const input = event.currentTarget;
          // What is shown must be what is sold, also if the limit is lower than what was typed.
          input.value = String(onSet(Number(input.value.replaceAll(/\D/g, ''))));
        }}
      />
      <button type="button" class="icon-button" tabIndex={-1} aria-label={fill(t.more, { name })} onClick={() => onSet(quantity + 1)}>
        <Icon path={icons.plus} />
      </button>
    </div>
  );
}
