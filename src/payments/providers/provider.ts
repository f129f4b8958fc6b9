import type { PaymentBody } from '../contract.ts';

interface ChargeRequest {
  amount: number;
  at: Date;
  /** When the hold of the order expires. */
  heldUntil: Date;
  /** The outcome that the sandbox simulates. Real providers ignore this field. */
  outcome: PaymentBody['outcome'];
}

/**
 * A payment is decided at once, or it is pending and the provider reports its result later under `reference`. `charge` is the row to store.
 */
type ChargeResult<Charge> = { status: 'approved' } | { status: 'declined' } | { status: 'pending'; reference: string; charge: Charge };

/** Charges a payment. The function must not use the network, because it is called while the stock is locked. */
export type PaymentMethod<Charge = unknown> = (request: ChargeRequest) => ChargeResult<Charge>;
