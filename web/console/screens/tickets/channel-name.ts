import type { TicketsMessages } from '../../../messages/console/tickets.en.ts';
import { fill } from '../../../messages/fill.ts';

/** The name of a sales channel. Producers can use channels with other numbers too. */
export function channelName({ channels: t }: TicketsMessages, channel: number): string {
  const known: Partial<Record<number, string>> = { 1: t.web, 2: t.boxOffice, 3: t.app, 4: t.partner };
  return known[channel] ?? fill(t.other, { number: channel });
}
