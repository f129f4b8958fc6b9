/** How much work a challenge asks for: each attempt hashes `cost` times, and one in 16 per digit of `prefix` attempts succeeds. */
export interface Difficulty {
  cost: number;
  prefix: string;
}

/**
 * Four times the work from one level to the next. A phone hashes about two million times a second: the first level takes it
 * a tenth of a second, the last some 20 seconds. The server verifies with one attempt, so `cost` stays small.
 */
export const difficulties: readonly Difficulty[] = [
  { cost: 500, prefix: '00' },
  { cost: 2_000, prefix: '00' },
  { cost: 500, prefix: '000' },
  { cost: 2_000, prefix: '000' },
  { cost: 500, prefix: '0000' },
];

/** Unpaid tickets that one network may have in one event before it is asked to work. */
const freeTickets = 60;
/** One network may hold this share of an item without work, and in any case a normal order. */
const freeShare = 1 / 5;
const normalOrder = 10;

/** What the network would have with the order: unpaid tickets in the event, and of each item of the order. */
export interface Demand {
  inEvent: number;
  /** `total` is how many there are to sell; null for no limit. */
  items: readonly { unpaid: number; total: number | null }[];
}

/** The level of the challenge that an order needs; null for none. Each doubling of the unpaid tickets is one level more. */
export function requiredLevel(mode: 'auto' | 'always' | 'off', { inEvent, items }: Demand): number | null {
  if (mode === 'off') return null;
  const exceeds = items.some(({ unpaid, total }) => total !== null && unpaid > Math.max(normalOrder, Math.floor(total * freeShare)));
  if (mode === 'auto' && inEvent <= freeTickets && !exceeds) return null;
  const level = Math.floor(Math.log2(Math.max(inEvent, freeTickets) / freeTickets));
  return Math.min(level, difficulties.length - 1);
}

/** While somebody works, others behind the same address order too: a solution of one level below is accepted. */
export const isEnough = (level: number, required: number): boolean => level >= required - 1;
