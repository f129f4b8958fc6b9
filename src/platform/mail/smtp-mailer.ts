import type { ConnectionOptions } from 'node:tls';
import { createTransport } from 'nodemailer';
import { compose } from './compose.ts';
import { type Mailer, type Message, NoWayOut, Refusal } from './mailer.ts';

/** So many conversations at once; a connection serves many mails. */
const connections = 4;
/** Of one mail from the greeting to the last word, within what a transaction may idle. */
const patienceMs = 45_000;
const replyMs = 20_000;

/**
 * `smtp://` is encrypted where the server offers it, and has to be where a password is sent; `smtps://` is from the first byte. Certificates
 * are verified. `tls` is for tests, which have certificates of their own.
 */
export function createSmtpMailer(url: string, tls: ConnectionOptions = {}): Mailer {
  const { username } = new URL(url);
  const transport = createTransport({
    url,
    pool: true,
    maxConnections: connections,
    // A conversation that broke off is taken up by the outbox, which remembers how often.
    maxRequeues: 0,
    requireTLS: username !== '',
    connectionTimeout: replyMs / 2,
    greetingTimeout: replyMs / 2,
    dnsTimeout: replyMs / 2,
    socketTimeout: replyMs,
    tls,
  });
  async function send(message: Message): Promise<void> {
    const mail = compose(message);
    try {
      await within(patienceMs, transport.sendMail(mail));
    } catch (error) {
      throw judge(error);
    }
  }
  return { send, close: () => transport.close() };
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NoWayOut(`The server took longer than ${ms / 1000} seconds`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

interface SmtpError extends Error {
  code?: string;
  command?: string;
  responseCode?: number;
}

/**
 * A 5xx that answers to the recipient or the message is about this mail and final. One to our name, our password or our sender is about
 * us: somebody will mend it, and the mail then goes out. Without any reply the line is dead.
 */
function judge(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof NoWayOut) return error;
  const { code = '', command = '', responseCode } = error as SmtpError;
  // The library itself found the mail unfit, before it said a word.
  if (responseCode === undefined && ['EENVELOPE', 'EMESSAGE'].includes(code)) return new Refusal(error.message);
  if (responseCode === undefined || !['RCPT TO', 'DATA'].includes(command)) return new NoWayOut(error.message);
  // 503 tells of a muddled conversation, not of the mail.
  return responseCode >= 500 && responseCode !== 503 ? new Refusal(error.message) : error;
}
