import { randomBytes } from 'node:crypto';
import { toBase32 } from '../../tickets/base32.ts';
import type { PaymentBody } from '../contract.ts';
import type { Ask } from './provider.ts';
import type { NewChargeRow } from './sandbox.sql.ts';

type Outcome = NonNullable<PaymentBody['outcome']>;

/** Of a card one knows at once. */
export const cardOutcomes: readonly Outcome[] = ['approve', 'decline'];

export const askCard: Ask<never> = ({ outcome }) => ({ status: outcome === 'decline' ? 'declined' : 'approved' });

/** Of PIX the sandbox plays the buyer too, who pays in a banking app when nobody is looking. */
export const askPix: Ask<NewChargeRow> = ({ amount, at, heldUntil, outcome = 'approve' }) => {
  const reference = newReference();
  const moments: Partial<Record<Outcome, Date | null>> = { late: heldUntil, never: null };
  const { [outcome]: actsAt = at } = moments;
  const begun = { reference, amount, outcome, acts_at: actsAt, created_at: at };
  return { status: 'pending', reference, begun };
};

/** As the PIX system takes it: letters and digits, at most 25. Nobody can guess another's. */
const newReference = (): string => toBase32(randomBytes(15));

export interface ChargeEvent {
  /** Of the notice: one that is sent again keeps it. */
  id: string;
  event: 'paid' | 'failed';
  amount: number;
}

/** What the sandbox would tell of a charge, in this order. A `lost` one is told to nobody: it is in the books only. */
export function eventsOf({ reference, amount, outcome }: { reference: string; amount: number; outcome: string }): ChargeEvent[] {
  const paid = (sum: number, nth = 1): ChargeEvent => ({ id: `${reference}-paid-${nth}`, event: 'paid', amount: sum });
  const failed: ChargeEvent = { id: `${reference}-failed`, event: 'failed', amount };
  const plays: Record<string, ChargeEvent[]> = {
    decline: [failed],
    // The same notice again, and another one that tells the same.
    twice: [paid(amount), paid(amount), paid(amount, 2)],
    tooLittle: [paid(amount - 1)],
    tooMuch: [paid(amount + 1)],
    never: [],
  };
  return (plays[outcome] ?? [paid(amount)]).filter((each) => each.amount > 0);
}
