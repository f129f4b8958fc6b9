import type { Locale } from '../../../src/kernel/locale.ts';
import type { Queue } from '../../../src/waiting-room/contract.ts';
import type { Messages } from '../../messages/catalogues.ts';

/** What the script of the waiting room needs. It is embedded in the page as JSON. */
export interface QueueData {
  eventId: number;
  locale: Locale;
  now: string;
  state: 'drawing' | 'waiting' | 'admitted';
  queue: Queue;
  ticket: string;
  place: number | null;
  /** The address of the tickets. */
  tickets: string;
  t: Messages['queue'];
}
