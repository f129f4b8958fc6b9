import type { Picture } from './letter.ts';

export interface Address {
  name: string;
  address: string;
}

/** One mail, ready to go. */
export interface Message {
  /** Of its row in the outbox. */
  id: number;
  /** Without brackets; the same at every attempt. */
  messageId: string;
  from: Address;
  to: Address;
  subject: string;
  text: string;
  html: string;
  pictures: readonly Picture[];
  at: Date;
}

/** Where mails go. What it throws is tried again later, unless it is a `Refusal`. */
export interface Mailer {
  send(message: Message): Promise<void>;
  close(): void;
}

/** It will not be taken at any other time either. */
export class Refusal extends Error {}

/** The way out is closed: the next mail would fare no better. */
export class NoWayOut extends Error {}
