import type { OrdersMessages } from '../../../messages/console/orders.en.ts';
import { plural } from '../../../messages/fill.ts';
import type { Details } from './order-words.tsx';

export type Entry = Details['timeline']['data'][number];

/** The parts of an entry that the console puts into words. The audit log has more. */
interface Changed {
  status?: string;
  items?: { quantity: number }[];
  refunded?: { quantity: number }[];
  refundFailed?: unknown;
  reason?: string;
  payment?: { status: string };
  refund?: { status: string };
  dispute?: { status: string };
}

const sum = (lines: readonly { quantity: number }[]): number => lines.reduce((total, { quantity }) => total + quantity, 0);

const changedBy = ({ after }: Entry): Changed => after ?? {};

export const reasonOf = (entry: Entry): string | undefined => changedBy(entry).reason;

/** What happened, in words. An operation that the console does not know is shown by its name. */
export function entryText(t: OrdersMessages, entry: Entry, locale: string): string {
  const words = t.timeline;
  const { status, items, refunded, refundFailed, payment, refund, dispute } = changedBy(entry);
  if (items) return plural(locale, words.createOrder, sum(items));
  if (refunded) return plural(locale, words.refundOrder, sum(refunded));
  if (refundFailed) return words.refundFailed;
  const known = {
    ...(payment && { payment: (words.payment as Partial<Record<string, string>>)[payment.status] }),
    ...(refund && { refund: (words.refund as Partial<Record<string, string>>)[refund.status] }),
    ...(dispute && { dispute: (words.dispute as Partial<Record<string, string>>)[dispute.status] }),
  };
  const about = known.dispute ?? known.refund ?? known.payment;
  if (about) return about;
  const byOperation: Partial<Record<string, unknown>> = words;
  const text = status === 'approved' ? words.approved : byOperation[entry.operation];
  if (typeof text === 'string') return text;
  return (t.status as Partial<Record<string, string>>)[status ?? ''] ?? entry.operation;
}

export function whoDid(t: OrdersMessages, { actor: { kind, name } }: Entry): string {
  if (kind === 'anonymous') return t.timeline.buyer;
  return kind === 'system' ? t.timeline.system : (name ?? t.timeline.deleted);
}
