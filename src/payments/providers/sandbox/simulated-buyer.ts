import type { PaymentBody } from '../../contract.ts';

export type Outcome = NonNullable<PaymentBody['outcome']>;

/** The sandbox decides card payments at once, so only these outcomes are possible for a card. */
export const cardOutcomes: readonly Outcome[] = ['approve', 'decline'];

/** When the buyer pays. Null: never. */
export function paysAt(outcome: string, startedAt: Date, expiresAt: Date): Date | null {
  if (outcome === 'never') return null;
  return outcome === 'late' ? expiresAt : startedAt;
}

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
