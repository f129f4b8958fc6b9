/** The work that a challenge requires. One attempt computes `cost` hashes. Each digit of `prefix` makes success 16 times less likely. */
export interface Difficulty {
  cost: number;
  prefix: string;
}

/**
 * Each level requires four times the work of the level before. A phone computes about two million hashes a second: it needs about 0.1 s for
 * the first level and 20 s for the last. The server needs one attempt to verify a solution, so `cost` stays small.
 */
export const difficulties: readonly Difficulty[] = [
  { cost: 500, prefix: '00' },
  { cost: 2_000, prefix: '00' },
  { cost: 500, prefix: '000' },
  { cost: 2_000, prefix: '000' },
  { cost: 500, prefix: '0000' },
];

/** A network with more unpaid tickets than this in one event must solve a challenge for each order. */
const freeTickets = 60;
/** Without a challenge, a network may hold this share of an item, or `normalOrder` tickets if the share is smaller. */
const freeShare = 1 / 5;
const normalOrder = 10;

/** How many unpaid tickets the network has, including those of the new order. */
export interface Demand {
  inEvent: number;
  /** One entry for each item of the order. `total` is the quantity on sale; null means no limit. */
  items: readonly { unpaid: number; total: number | null }[];
}

/**
 * Returns the level of the challenge that the order needs, or null if it needs no challenge. The level rises by one each time the number of
 * unpaid tickets doubles.
 */
export function requiredLevel(mode: 'auto' | 'always' | 'off', { inEvent, items }: Demand): number | null {
  if (mode === 'off') return null;
  const exceeds = items.some(({ unpaid, total }) => total !== null && unpaid > Math.max(normalOrder, Math.floor(total * freeShare)));
  if (mode === 'auto' && inEvent <= freeTickets && !exceeds) return null;
  const level = Math.floor(Math.log2(Math.max(inEvent, freeTickets) / freeTickets));
  return Math.min(level, difficulties.length - 1);
}

/**
 * A solution one level too low is accepted: other callers of the network may have raised the level while the client was solving its
 * challenge.
 */
export const isEnough = (level: number, required: number): boolean => level >= required - 1;
