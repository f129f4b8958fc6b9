import { randomBytes } from 'node:crypto';
import { toBase32 } from '../../tickets/base32.ts';
import type { PaymentBody } from '../contract.ts';
import type { PaymentMethod } from './provider.ts';
import type { NewChargeRow } from './sandbox.sql.ts';

type Outcome = NonNullable<PaymentBody['outcome']>;

/** The sandbox decides card payments at once, so only these outcomes are possible for a card. */
export const cardOutcomes: readonly Outcome[] = ['approve', 'decline'];

export const chargeCard: PaymentMethod<never> = ({ outcome }) => ({ status: outcome === 'decline' ? 'declined' : 'approved' });

/** Creates a charge. `runSandbox` later simulates the buyer who pays the charge in a banking app. */
export const chargePix: PaymentMethod<NewChargeRow> = ({ amount, at, heldUntil, outcome = 'approve' }) => {
  const reference = newReference();
  const paymentTimes: Partial<Record<Outcome, Date | null>> = { late: heldUntil, never: null };
  const { [outcome]: actsAt = at } = paymentTimes;
  const charge = { reference, amount, outcome, acts_at: actsAt, created_at: at };
  return { status: 'pending', reference, charge };
};

/** A PIX reference has at most 25 letters and digits. It is random, so that it cannot be guessed. */
const newReference = (): string => toBase32(randomBytes(15));

export interface ChargeEvent {
  /** The id of the notice. A notice that is sent again has the same id. */
  id: string;
  event: 'paid' | 'failed';
  amount: number;
}

/** Returns the events of a charge, in order. `runSandbox` sends each event as a notice, unless the outcome is `lost`. */
export function eventsOf({ reference, amount, outcome }: { reference: string; amount: number; outcome: string }): ChargeEvent[] {
  const paid = (sum: number, nth = 1): ChargeEvent => ({ id: `${reference}-paid-${nth}`, event: 'paid', amount: sum });
  const failed: ChargeEvent = { id: `${reference}-failed`, event: 'failed', amount };
  const eventsByOutcome: Record<string, ChargeEvent[]> = {
    decline: [failed],
    // The first notice is sent twice. The third notice has another id but is about the same payment.
    twice: [paid(amount), paid(amount), paid(amount, 2)],
    tooLittle: [paid(amount - 1)],
    tooMuch: [paid(amount + 1)],
    never: [],
  };
  return (eventsByOutcome[outcome] ?? [paid(amount)]).filter((each) => each.amount > 0);
}
