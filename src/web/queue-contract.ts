import type { Queue, QueuePlace } from '../waiting-room/contract.ts';
import type { Image } from './contract.ts';

/** The page on which a visitor waits for the turn. */
export interface QueuePage {
  kind: 'queue';
  event: { id: number; title: string; link: string; image: Image };
  /** The local time of the event at which the room opens. */
  opensAt: string;
  queue: Queue;
  /** The time of the server. */
  now: string;
  /** Null if the visitor has no number. */
  own: OwnPlace | null;
}

export interface OwnPlace extends Pick<QueuePlace, 'state' | 'number' | 'place'> {
  ticket: string;
  /** The address that opens the same place on another device, and its QR code. */
  address: string;
  qr: { size: number; path: string };
}
