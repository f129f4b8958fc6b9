/** The work of a challenge. Each attempt hashes `cost` times. Each digit of `prefix` makes success 16 times less likely. */
export interface Difficulty {
  cost: number;
  prefix: string;
}

/**
 * Each level takes four times the work of the one before. A phone computes about two million hashes a second: the first level takes 0.1 s,
 * the last about 20 s. The server verifies with one attempt, so `cost` stays small.
 */
export const difficulties: readonly Difficulty[] = [
  { cost: 500, prefix: '00' },
  { cost: 2_000, prefix: '00' },
  { cost: 500, prefix: '000' },
  { cost: 2_000, prefix: '000' },
  { cost: 500, prefix: '0000' },
];

/** How many unpaid tickets a network may have in an event before its orders need a challenge. */
const freeTickets = 60;
/** A network may hold this share of an item without a challenge, and always at least a normal order. */
const freeShare = 1 / 5;
const normalOrder = 10;

/** The unpaid tickets of the network, including the new order: in the event, and of each item of the order. */
export interface Demand {
  inEvent: number;
  /** `total` is the quantity on sale; null means no limit. */
  items: readonly { unpaid: number; total: number | null }[];
}

/** The level of the challenge that an order needs; null if it needs none. The level rises by one each time the unpaid tickets double. */
export function requiredLevel(mode: 'auto' | 'always' | 'off', { inEvent, items }: Demand): number | null {
  if (mode === 'off') return null;
  const exceeds = items.some(({ unpaid, total }) => total !== null && unpaid > Math.max(normalOrder, Math.floor(total * freeShare)));
  if (mode === 'auto' && inEvent <= freeTickets && !exceeds) return null;
  const level = Math.floor(Math.log2(Math.max(inEvent, freeTickets) / freeTickets));
  return Math.min(level, difficulties.length - 1);
}

/** Other callers of the same network may raise the level while a client solves. So one level below is accepted. */
export const isEnough = (level: number, required: number): boolean => level >= required - 1;
