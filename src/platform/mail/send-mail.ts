import type { Locale } from '../../kernel/locale.ts';
import type { Database, Tx } from '../../postgres/database.ts';
import { inSavepoint, inTransaction } from '../../postgres/transaction.ts';
import { requirePlain } from './compose.ts';
import { type Letter, writeLetter } from './letter.ts';
import { type Address, type Mailer, MailRejected, MailServerUnavailable, type Message } from './mailer.ts';
import { type DueMailRow, lockDueMail, type MailKey, markNotSent, markSent, selectDueMails } from './outbox.sql.ts';
import type { MailKind, MailPayloads } from './outbox.ts';

/** Renders one kind of mail. Returns null if there is no recipient any more, e.g. because the buyer was anonymised. */
export type Renderer<K extends MailKind> = (
  tx: Tx,
  mail: { payload: MailPayloads[K]; locale: Locale; recipient: string | null; at: Date },
) => Promise<{ to: Address; letter: Letter } | null>;

/** One renderer per kind of mail. Each belongs to the capability that has the data. */
export type Renderers = { [K in MailKind]: Renderer<K> };

export interface MailSetup {
  mailer: Mailer;
  renderers: Renderers;
  from: Address;
}

const concurrency = 4;

export interface SendOptions {
  /** The maximum number of mails to send. */
  max?: number;
  /** When the signal is aborted, mails that are being sent are finished, and no other mails are started. */
  signal?: AbortSignal;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/**
 * The delay after each failed attempt. If the attempt after the last delay also fails, about a day after the first attempt, the mail is
 * marked as failed.
 */
const retryDelays = [10_000, minuteMs, 5 * minuteMs, 30 * minuteMs, 2 * hourMs, 6 * hourMs, 15 * hourMs];

type Outcome = 'sent' | 'tried' | 'failed';

/**
 * Sends the due mails, each in its own transaction. Returns how many were sent, will be retried (`tried`) or failed; null if none was due.
 * If the process dies, the locks of its mails end and other workers send them. If the process dies between sending and committing, the mail
 * is sent twice with the same Message-ID.
 */
export async function sendMail(
  db: Database,
  setup: MailSetup,
  at: Date,
  { max = 100, signal }: SendOptions = {},
): Promise<Record<Outcome, number> | null> {
  const done = { sent: 0, tried: 0, failed: 0 };
  const due = await selectDueMails(db, at, max);
  async function next(): Promise<void> {
    const key = due.shift();
    if (!key) return;
    // The transaction is not retried, because the mail may already be sent.
    const handled = await inTransaction(db, { once: true }, (tx) => sendIfDue(tx, setup, key, at));
    if (handled) done[handled.outcome]++;
    // If the server is unavailable, the other mails are not attempted now, so that they do not use up their attempts.
    if (handled?.serverUnavailable) due.length = 0;
  }
  async function sendUntilDone(): Promise<void> {
    while (due.length > 0 && !signal?.aborted) await next();
  }
  // The first mail is sent alone. It shows whether the server is available.
  await next();
  await Promise.all(Array.from({ length: concurrency }, sendUntilDone));
  return done.sent + done.tried + done.failed > 0 ? done : null;
}

/** Returns null if another worker sends the mail or has sent it. */
async function sendIfDue(
  tx: Tx,
  setup: MailSetup,
  key: MailKey,
  at: Date,
): Promise<{ outcome: Outcome; serverUnavailable: boolean } | null> {
  const mail = await lockDueMail(tx, key, at);
  if (!mail) return null;
  try {
    await setup.mailer.send(await render(tx, setup, mail, at));
  } catch (error) {
    const delay = error instanceof MailRejected ? undefined : retryDelays[mail.attempts];
    await markNotSent(tx, mail, reasonOf(error), delay === undefined ? null : new Date(at.getTime() + delay));
    return { outcome: delay === undefined ? 'failed' : 'tried', serverUnavailable: error instanceof MailServerUnavailable };
  }
  await markSent(tx, mail, at);
  return { outcome: 'sent', serverUnavailable: false };
}

async function render(tx: Tx, { renderers, from }: MailSetup, mail: DueMailRow, at: Date): Promise<Message> {
  const { id, kind, locale, recipient, payload } = mail;
  const renderer: Renderer<never> | undefined = Object.hasOwn(renderers, kind) ? renderers[kind as MailKind] : undefined;
  if (!renderer) throw new Error(`There is no renderer for mails of kind ${kind}`);
  // A failed query would abort the whole transaction, and the failure could not be stored.
  const rendered = await inSavepoint(tx, () => renderer(tx, { payload: payload as never, locale, recipient, at }));
  if (!rendered) throw new MailRejected('The recipient no longer exists');
  const [, domain = ''] = requirePlain(from.address).split('@');
  return { id, messageId: `${mail.message_id}@${domain}`, from, to: rendered.to, ...writeLetter(rendered.letter), at };
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)).slice(0, 500);
