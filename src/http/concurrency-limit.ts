import { retryLater } from '../kernel/problem.ts';

/** The size of the queue, as a multiple of the number of places. */
const waitersPerPlace = 16;

interface Waiting {
  keys: readonly string[];
  start(): void;
}

/**
 * Runs at most `places` requests at the same time. Other requests wait in a queue. When the queue is full, requests get 503. `keys` name
 * the caller and the event. Each key may use at most half of the places and half of the queue, so that one caller or event cannot block all
 * others.
 */
export function limitConcurrency(places: number): <T>(keys: readonly string[], work: () => Promise<T>) => Promise<T> {
  const placesPerKey = Math.max(1, Math.floor(places / 2));
  const running = new Map<string, number>();
  const waiting: Waiting[] = [];
  let busy = 0;

  const mayRun = (keys: readonly string[]): boolean => busy < places && keys.every((key) => (running.get(key) ?? 0) < placesPerKey);

  function take(keys: readonly string[]): void {
    busy++;
    for (const key of keys) running.set(key, (running.get(key) ?? 0) + 1);
  }

  /** Gives the place directly to the next waiting request, so that a new request cannot overtake it. */
  function release(keys: readonly string[]): void {
    busy--;
    for (const key of keys) {
      const left = (running.get(key) ?? 1) - 1;
      if (left > 0) running.set(key, left);
      else running.delete(key);
    }
    for (let next = nextInLine(); next; next = nextInLine()) {
      take(next.keys);
      next.start();
    }
  }

  function nextInLine(): Waiting | undefined {
    const place = waiting.findIndex(({ keys }) => mayRun(keys));
    return place < 0 ? undefined : waiting.splice(place, 1)[0];
  }

  function requireRoom(keys: readonly string[]): void {
    if (waiting.length >= places * waitersPerPlace)
      throw retryLater('overloaded', 1, 'Too many requests for this operation are waiting. Try again later.');
    const maxWaitingPerKey = placesPerKey * waitersPerPlace;
    if (keys.some((key) => waiting.filter((other) => other.keys.includes(key)).length >= maxWaitingPerKey)) {
      throw retryLater('rate_limited', 1, 'You have too many requests for this operation in progress. Wait until one ends.');
    }
  }

  return async (keys, work) => {
    if (mayRun(keys)) {
      take(keys);
    } else {
      requireRoom(keys);
      await new Promise<void>((start) => waiting.push({ keys, start }));
    }
    try {
      return await work();
    } finally {
      release(keys);
    }
  };
}
