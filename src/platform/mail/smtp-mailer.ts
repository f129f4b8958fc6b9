import type { ConnectionOptions } from 'node:tls';
import { createTransport } from 'nodemailer';
import { compose } from './compose.ts';
import { type Mailer, MailRejected, MailServerUnavailable, type Message } from './mailer.ts';

/** Connections are pooled: each sends many mails. */
const maxConnections = 4;
/** The timeout for sending one mail. It is shorter than the idle timeout of the transaction that holds the lock of the mail. */
const sendTimeoutMs = 45_000;
const replyTimeoutMs = 20_000;

/**
 * `smtp://` uses STARTTLS if the server offers it, and requires it if the URL has a password. `smtps://` uses TLS from the start.
 * Certificates are verified. Tests pass their own certificates in `tls`.
 */
export function createSmtpMailer(url: string, tls: ConnectionOptions = {}): Mailer {
  const { username } = new URL(url);
  const transport = createTransport({
    url,
    pool: true,
    maxConnections,
    // The outbox retries and counts attempts, so nodemailer must not.
    maxRequeues: 0,
    requireTLS: username !== '',
    connectionTimeout: replyTimeoutMs / 2,
    greetingTimeout: replyTimeoutMs / 2,
    dnsTimeout: replyTimeoutMs / 2,
    socketTimeout: replyTimeoutMs,
    tls,
  });
  async function send(message: Message): Promise<void> {
    const mail = compose(message);
    try {
      await withTimeout(sendTimeoutMs, transport.sendMail(mail));
    } catch (error) {
      throw classify(error);
    }
  }
  return { send, close: () => transport.close() };
}

async function withTimeout<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new MailServerUnavailable(`The mail server took longer than ${ms / 1000} seconds`)), ms);
  });
  try {
    return await Promise.race([work, timeout]);
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
 * A 5xx reply to the recipient or the message is final for this mail. A 5xx reply to our host name, password or sender address is a
 * configuration error: the mail can be sent once an operator has fixed it. No reply at all means that the server is unavailable.
 */
function classify(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof MailServerUnavailable) return error;
  const { code = '', command = '', responseCode } = error as SmtpError;
  // nodemailer itself rejected the mail, before it sent anything.
  if (responseCode === undefined && ['EENVELOPE', 'EMESSAGE'].includes(code)) return new MailRejected(error.message);
  if (responseCode === undefined || !['RCPT TO', 'DATA'].includes(command)) return new MailServerUnavailable(error.message);
  // 503 means "bad sequence of commands": a fault of the SMTP session, not of the mail.
  return responseCode >= 500 && responseCode !== 503 ? new MailRejected(error.message) : error;
}
