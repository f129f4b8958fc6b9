import type { Ticket } from '../../../src/storefront/contract.ts';
import type { Messages } from '../../messages/catalogues.ts';
import { fill } from '../../messages/fill.ts';
import { Icon } from '../../ui/icon.tsx';
import * as icons from '../../ui/icons.ts';
import { most, step } from './choice-rules.ts';

interface StepperProps {
  ticket: Ticket;
  quantity: number;
  maximumPerOrder: number;
  t: Messages['tickets'];
  onChange: (quantity: number) => void;
}

/** A number field with a button on each side. Without JavaScript only the field is shown, and the form sends its value. */
export function Stepper({ ticket, quantity, maximumPerOrder, t, onChange }: StepperProps) {
  const { id, name } = ticket;
  const max = most(ticket, maximumPerOrder);
  const go = (direction: 1 | -1) => () => onChange(step(quantity, direction, ticket, maximumPerOrder));
  const read = (text: string) => onChange(Math.min(max, Math.max(0, Math.trunc(Number(text)) || 0)));
  return (
    <div class="stepper">
      <button
        type="button"
        class="needs-script"
        aria-label={fill(t.less, { name })}
        aria-controls={`item-${id}`}
        disabled={quantity === 0}
        onClick={go(-1)}
      >
        <Icon path={icons.minus} />
      </button>
      <input
        id={`item-${id}`}
        name={`item-${id}`}
        type="number"
        inputMode="numeric"
        min={0}
        max={max}
        value={quantity}
        aria-label={fill(t.quantity, { name })}
        autocomplete="off"
        onChange={(event) => read(event.currentTarget.value)}
      />
      <button
        type="button"
        class="needs-script"
        aria-label={fill(t.more, { name })}
        aria-controls={`item-${id}`}
        disabled={quantity >= max}
        onClick={go(1)}
      >
        <Icon path={icons.plus} />
      </button>
    </div>
  );
}
