import { Problem } from '../kernel/problem.ts';
import type { Statement, Step } from '../postgres/pipeline.ts';
import { type GateRow, insertSlots, type SlotRow, selectGates, selectSlots, type UsedSlot } from './gates.sql.ts';
import type { Admission, QueueNumber } from './signed-tokens.ts';

/** The n-th order that is placed with a number. */
export interface Slot {
  number: number;
  slot: number;
}

type Reason = 'missing' | 'invalid' | 'expired' | 'limit';

const details: Record<Reason, string> = {
  missing: 'This sale has a waiting room. Take a number, wait for your turn, and send the admission with the order.',
  invalid: 'The admission does not belong to this waiting room. Get it again with your number.',
  expired: 'The admission has expired. If your turn is not over, get a new admission with your number. Otherwise take a new number.',
  limit: 'This place in the queue has already been used for orders. Pay or cancel them, or take a new number.',
};

const refuse = (eventId: number, reason: Reason): Problem =>
  new Problem('waiting_room', details[reason], { extra: { reason, queue: `/v1/queue/${eventId}` } });

const keyOf = ({ eventId, number }: QueueNumber): string => `${eventId} ${number}`;

/** The waiting rooms of the events of a batch of orders. It decides in memory. Accepted orders count for the next orders of the batch. */
export class Gates {
  readonly #gates: ReadonlyMap<number, GateRow>;
  readonly #slots = new Map<string, SlotRow[]>();

  constructor(gates: readonly GateRow[], slots: readonly SlotRow[]) {
    this.#gates = new Map(gates.map((gate) => [gate.eventId, gate]));
    for (const slot of slots) this.#slotsOf(slot).push(slot);
  }

  /** Whether orders of the public need an admission. */
  isClosed(eventId: number): boolean {
    return this.#gates.has(eventId);
  }

  /** Returns the admission if it is valid for the event. `undefined`: the order has none. Null: its signature is wrong. */
  check(eventId: number, admission: Admission | null | undefined, at: Date): Admission | Problem {
    const gate = this.#gates.get(eventId);
    if (admission === undefined || !gate) return refuse(eventId, 'missing');
    if (admission?.eventId !== eventId || admission.number < gate.firstNumber) return refuse(eventId, 'invalid');
    if (admission.expiresAt <= at) return refuse(eventId, 'expired');
    const open = this.#slotsOf(admission).filter(({ status, expiresAt }) => status === 'approved' || (status === 'held' && expiresAt > at));
    return open.length < gate.ordersPerPlace ? admission : refuse(eventId, 'limit');
  }

  takeSlot({ eventId, number, expiresAt }: Admission): Slot {
    const slots = this.#slotsOf({ eventId, number });
    const slot = Math.max(0, ...slots.map((each) => each.slot)) + 1;
    slots.push({ eventId, number, slot, status: 'approved', expiresAt });
    return { number, slot };
  }

  #slotsOf(number: QueueNumber): SlotRow[] {
    const slots = this.#slots.get(keyOf(number)) ?? [];
    this.#slots.set(keyOf(number), slots);
    return slots;
  }
}

/** Reads the waiting rooms of the events, and the orders that were placed with the admissions. */
export function readGates(eventIds: readonly number[], admissions: readonly (Admission | null)[]): Step<Gates> {
  const numbers = [...new Map(admissions.flatMap((each) => (each ? [[keyOf(each), each] as const] : []))).values()];
  return {
    statements: [selectGates(eventIds), ...(numbers.length > 0 ? [selectSlots(numbers)] : [])],
    read: ([gates = [], slots = []]) => new Gates(gates as GateRow[], slots as SlotRow[]),
  };
}

/** Records which places the new orders use. */
export const useSlots = (slots: readonly UsedSlot[]): Statement[] => (slots.length > 0 ? [insertSlots(slots)] : []);
