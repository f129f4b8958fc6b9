import type { PaymentBody } from '../contract.ts';

interface ChargeRequest {
  amount: number;
  at: Date;
  /** When the hold of the order expires. */
  heldUntil: Date;
  /** What the sandbox should simulate. Real providers ignore it. */
  outcome: PaymentBody['outcome'];
}

/** Decided at once, or pending: then the provider reports the result later under this reference. `charge` is the row to store. */
type ChargeResult<Charge> = { status: 'approved' } | { status: 'declined' } | { status: 'pending'; reference: string; charge: Charge };

/** Must not use the network: it is called while the stock is locked. */
export type PaymentMethod<Charge = unknown> = (request: ChargeRequest) => ChargeResult<Charge>;
