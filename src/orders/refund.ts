import type { OrderRefund } from './order-schemas.ts';

/** Money that goes back to the buyer. */
export interface RefundRow extends OrderRefund {
  paymentId: number;
}

/** The buyer sees whether the money was returned, but not the words of the provider and of the crew. */
export const describeRefund = (
  { id, amount, reason, status, failure, note, createdAt, finishedAt }: OrderRefund,
  forCrew: boolean,
): OrderRefund => ({
  id,
  amount,
  reason,
  status,
  failure: forCrew ? failure : null,
  note: forCrew ? note : null,
  createdAt: new Date(createdAt).toISOString(),
  finishedAt: finishedAt === null ? null : new Date(finishedAt).toISOString(),
});
