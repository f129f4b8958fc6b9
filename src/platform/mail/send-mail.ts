import type { Locale } from '../../kernel/locale.ts';
import type { Database, Tx } from '../../postgres/database.ts';
import { inSavepoint, inTransaction } from '../../postgres/transaction.ts';
import { requirePlain } from './compose.ts';
import { type Letter, writeLetter } from './letter.ts';
import { type Address, type Mailer, type Message, NoWayOut, Refusal } from './mailer.ts';
import { type DueMailRow, lockDueMail, markSent, markTried } from './outbox.sql.ts';
import type { MailKind, MailPayloads } from './outbox.ts';

/** A mail as it is to be written: null where there is nobody left to write to. */
export type Renderer<K extends MailKind> = (
  tx: Tx,
  mail: { payload: MailPayloads[K]; locale: Locale; recipient: string | null },
) => Promise<{ to: Address; letter: Letter } | null>;

/** How each kind of mail is written, by the capability that knows what it tells of. */
export type Renderers = { [K in MailKind]: Renderer<K> };

export interface PostOffice {
  mailer: Mailer;
  renderers: Renderers;
  from: Address;
}

const lanes = 4;

export interface Round {
  /** How many it sends at most. */
  most?: number;
  /** Ends it after the mails at hand. */
  signal?: AbortSignal;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** Until the next attempt, by how many there were. After the last of them, about a day, the mail is given up. */
const pauses = [10_000, minuteMs, 5 * minuteMs, 30 * minuteMs, 2 * hourMs, 6 * hourMs, 15 * hourMs];

type Outcome = 'sent' | 'tried' | 'failed';

/**
 * Sends what is due, each mail in a transaction of its own; answers how many fared how. A process that dies in the middle leaves its mails
 * to the others at once; one that dies after the server took a mail and before that was written down has it sent twice, with the same
 * Message-ID.
 */
export async function sendMail(
  db: Database,
  office: PostOffice,
  at: Date,
  { most = 100, signal }: Round = {},
): Promise<Record<Outcome, number> | null> {
  const done = { sent: 0, tried: 0, failed: 0 };
  let left = most;
  async function next(): Promise<void> {
    left--;
    // Not started over: a mail that is out cannot be called back.
    const handled = await inTransaction(db, { once: true }, (tx) => sendNext(tx, office, at));
    if (handled) done[handled.outcome]++;
    // What waits behind a closed door is spared an attempt that would fail.
    if (!handled || handled.stuck) left = 0;
  }
  async function lane(): Promise<void> {
    while (left > 0 && !signal?.aborted) await next();
  }
  // Most rounds find nothing, and one look tells.
  await next();
  await Promise.all(Array.from({ length: lanes }, lane));
  return done.sent + done.tried + done.failed > 0 ? done : null;
}

async function sendNext(tx: Tx, office: PostOffice, at: Date): Promise<{ outcome: Outcome; stuck: boolean } | null> {
  const mail = await lockDueMail(tx, at);
  if (!mail) return null;
  try {
    await office.mailer.send(await write(tx, office, mail, at));
  } catch (error) {
    const pause = error instanceof Refusal ? undefined : pauses[mail.attempts];
    await markTried(tx, mail.id, reasonOf(error), pause === undefined ? null : new Date(at.getTime() + pause));
    return { outcome: pause === undefined ? 'failed' : 'tried', stuck: error instanceof NoWayOut };
  }
  await markSent(tx, mail.id, at);
  return { outcome: 'sent', stuck: false };
}

async function write(tx: Tx, { renderers, from }: PostOffice, mail: DueMailRow, at: Date): Promise<Message> {
  const { id, kind, locale, recipient, payload } = mail;
  const render: Renderer<never> | undefined = Object.hasOwn(renderers, kind) ? renderers[kind as MailKind] : undefined;
  if (!render) throw new Error(`Nobody knows how to write a mail of kind ${kind}`);
  // What fails in there must not take the transaction with it, in which the failure is written down.
  const rendered = await inSavepoint(tx, () => render(tx, { payload: payload as never, locale, recipient }));
  if (!rendered) throw new Refusal('There is nobody left to send it to');
  const [, domain = ''] = requirePlain(from.address).split('@');
  return { id, messageId: `${mail.message_id}@${domain}`, from, to: rendered.to, ...writeLetter(rendered.letter), at };
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)).slice(0, 500);
