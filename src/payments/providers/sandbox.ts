import { randomBytes } from 'node:crypto';
import { toBase32 } from '../../tickets/base32.ts';
import type { PaymentBody } from '../contract.ts';
import type { PaymentMethod } from './provider.ts';
import type { NewChargeRow } from './sandbox.sql.ts';

type Outcome = NonNullable<PaymentBody['outcome']>;

/** The sandbox decides card payments at once, so a card has only these outcomes. */
export const cardOutcomes: readonly Outcome[] = ['approve', 'decline'];

export const chargeCard: PaymentMethod<never> = ({ outcome }) => ({ status: outcome === 'decline' ? 'declined' : 'approved' });

/** Stores a charge. `runSandbox` later plays the buyer who pays it in a banking app. */
export const chargePix: PaymentMethod<NewChargeRow> = ({ amount, at, heldUntil, outcome = 'approve' }) => {
  const reference = newReference();
  const paymentTimes: Partial<Record<Outcome, Date | null>> = { late: heldUntil, never: null };
  const { [outcome]: actsAt = at } = paymentTimes;
  const charge = { reference, amount, outcome, acts_at: actsAt, created_at: at };
  return { status: 'pending', reference, charge };
};

/** PIX allows at most 25 letters and digits. Random, so that references cannot be guessed. */
const newReference = (): string => toBase32(randomBytes(15));

export interface ChargeEvent {
  /** The id of the notice. A notice that is sent again has the same id. */
  id: string;
  event: 'paid' | 'failed';
  amount: number;
}

/** The events of a charge, in order. `runSandbox` sends them as notices, except for the outcome `lost`. */
export function eventsOf({ reference, amount, outcome }: { reference: string; amount: number; outcome: string }): ChargeEvent[] {
  const paid = (sum: number, nth = 1): ChargeEvent => ({ id: `${reference}-paid-${nth}`, event: 'paid', amount: sum });
  const failed: ChargeEvent = { id: `${reference}-failed`, event: 'failed', amount };
  const eventsByOutcome: Record<string, ChargeEvent[]> = {
    decline: [failed],
    // The same notice twice, and a different notice about the same payment.
    twice: [paid(amount), paid(amount), paid(amount, 2)],
    tooLittle: [paid(amount - 1)],
    tooMuch: [paid(amount + 1)],
    never: [],
  };
  return (eventsByOutcome[outcome] ?? [paid(amount)]).filter((each) => each.amount > 0);
}
