import { hash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Room } from './room.ts';

/** Published from the beginning. It proves later that the seed was not changed. */
export const commitmentOf = (seed: Buffer): string => hash('sha256', seed);

interface Draw {
  eventId: number;
  seed: Buffer;
  /** The first and the last number that take part. */
  first: number;
  last: number;
}

const hexDigits = 13;
const hashesPerTurn = 4_000;

/**
 * Returns the rank of each number, from 1. The rank orders the numbers by the first 13 hexadecimal digits of
 * SHA-256("seed:event:last:number"), and by number if they are equal. `last` is part of the text, so the order is not known before the last
 * number is handed out, not even to somebody who knows the seed. docs/waiting-room.md describes the same rule for visitors.
 */
async function drawRanks({ eventId, seed, first, last }: Draw): Promise<Int32Array> {
  const count = Math.max(0, last - first + 1);
  const text = `${seed.toString('hex')}:${eventId}:${last}:`;
  const keys = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    keys[i] = Number.parseInt(hash('sha256', `${text}${first + i}`).slice(0, hexDigits), 16);
    // Other requests must not wait for a large draw.
    if (i % hashesPerTurn === hashesPerTurn - 1) await nextTurn();
  }
  const order = Uint32Array.from(keys.keys()).toSorted((a, b) => (keys[a] ?? 0) - (keys[b] ?? 0) || a - b);
  const ranks = new Int32Array(count);
  for (const [rank, index] of order.entries()) ranks[index] = rank + 1;
  return ranks;
}

const maxKept = 16;
const kept = new Map<string, Promise<Int32Array>>();

/** The result of a draw never changes, so each process computes it once. */
function ranksOf(draw: Draw): Promise<Int32Array> {
  const key = `${draw.eventId} ${draw.seed.toString('hex')} ${draw.last}`;
  const known = kept.get(key);
  if (known) return known;
  if (kept.size >= maxKept) kept.delete([...kept.keys()][0] ?? '');
  const ranks = drawRanks(draw);
  kept.set(key, ranks);
  return ranks;
}

/** Returns the place of a number. Null before the draw. Numbers after the draw are places already: first come, first served. */
export async function placeOf({ eventId, seed, firstNumber, drawnTo }: Room, number: number): Promise<number | null> {
  if (drawnTo === null) return null;
  if (number > drawnTo) return number;
  const ranks = await ranksOf({ eventId, seed, first: firstNumber, last: drawnTo });
  return firstNumber - 1 + (ranks[number - firstNumber] ?? 0);
}
