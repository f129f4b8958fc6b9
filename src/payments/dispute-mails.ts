import { localeOfCurrency } from '../kernel/locale.ts';
import type { DisputeRow } from '../orders/dispute.ts';
import type { OrderRow } from '../orders/order.ts';
import { queueMails } from '../platform/mail/outbox.ts';
import type { Renderer } from '../platform/mail/send-mail.ts';
import type { Statement } from '../postgres/pipeline.ts';
import { disputeLetter } from './dispute-mail-texts.ts';
import { selectDisputedEvent } from './disputes.sql.ts';

/** Tells the owners of the producer about the new status of a dispute. They must answer the bank within days. */
export function queueDisputeMails(
  owners: readonly { id: number; email: string }[],
  order: OrderRow,
  dispute: DisputeRow,
  twice: number,
  at: Date,
): Statement[] {
  const { event_id: eventId, id: orderId, currency, payments } = order;
  const { providerId, status, amount, fee, reason, movements, paymentId } = dispute;
  const provider = payments.find(({ id }) => id === paymentId)?.provider ?? '';
  return queueMails(
    owners.map(({ id, email }) => ({
      kind: 'payment_disputed',
      eventId,
      recipient: email,
      locale: localeOfCurrency(currency),
      payload: { eventId, orderId, provider, status, amount, fee, reason, returnedTwice: twice },
      dedupeKey: `dispute/${providerId}/${movements}/${status}/${id}`,
      at,
    })),
  );
}

export const renderDispute: Renderer<'payment_disputed'> = async (tx, { payload, locale, recipient }) => {
  const event = await selectDisputedEvent(tx, payload.eventId);
  if (recipient === null || !event) return null;
  return { to: { name: '', address: recipient }, letter: disputeLetter(locale, event, payload) };
};
