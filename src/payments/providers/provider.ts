import type { PaymentBody } from '../contract.ts';

/** What a way to pay is asked for. */
interface Charge {
  amount: number;
  at: Date;
  /** When what it pays for is no longer held. */
  heldUntil: Date;
  /** Of a provider that only plays: what becomes of it. */
  outcome: PaymentBody['outcome'];
}

/** Paid or refused on the spot; or begun, and the provider tells later, under this reference, what came of it. */
type Reply<Begun = unknown> = { status: 'approved' } | { status: 'declined' } | { status: 'pending'; reference: string; begun: Begun };

/** Answers without leaving the process: it is asked while the stock is locked. */
export type Ask<Begun = unknown> = (charge: Charge) => Reply<Begun>;
