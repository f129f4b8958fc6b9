import type { NoticeRow, NoticeUpdate } from './notices.sql.ts';

/** A notice may arrive before its payment is committed. If the payment is still unknown after this time, the notice is set aside. */
const maxWaitMs = 60 * 60_000;
const waitMs = 5_000;

/** What became of a notice. With the status `received` it is tried again later. */
export type NoticeResult = Pick<NoticeUpdate, 'status' | 'outcome'>;

export const unknownPayment = (notice: NoticeRow, at: Date): NoticeResult =>
  waitOrSetAside(notice, at, `there is no payment ${notice.reference ?? notice.provider_id}`);

export function waitOrSetAside({ received_at }: NoticeRow, at: Date, outcome: string): NoticeResult {
  return at.getTime() - received_at.getTime() < maxWaitMs ? { status: 'received', outcome: null } : { status: 'set_aside', outcome };
}

export const updateOf = ({ event_id, id, attempts }: NoticeRow, { status, outcome }: NoticeResult, at: Date): NoticeUpdate => ({
  event_id,
  id,
  status,
  outcome,
  last_error: null,
  attempts,
  due_at: new Date(at.getTime() + waitMs),
});
