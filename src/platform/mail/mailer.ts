import type { Picture } from './letter.ts';

export interface Address {
  name: string;
  address: string;
}

/** A rendered mail. */
export interface Message {
  /** The id of the mail in the outbox. */
  id: number;
  /** The Message-ID without angle brackets. It is the same at every attempt. */
  messageId: string;
  from: Address;
  to: Address;
  subject: string;
  text: string;
  html: string;
  pictures: readonly Picture[];
  at: Date;
}

/** Sends mails. A mail whose `send` throws is retried later, unless the error is a `MailRejected`. */
export interface Mailer {
  send(message: Message): Promise<void>;
  close(): void;
}

/** Thrown when a mail can never be delivered. The mail is not retried. */
export class MailRejected extends Error {}

/** Thrown when the mail server cannot be used now. Other mails would fail too. */
export class MailServerUnavailable extends Error {}
