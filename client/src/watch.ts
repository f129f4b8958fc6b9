import type { CallOptions } from './call.ts';
import { NoAnswer } from './problem.ts';
import { backOff, sleep } from './retry.ts';

const maxReconnects = 5;

/** Yields each state of a resource. Ends after a state in which the field `until` is not null. Reconnects when the connection is lost. */
export async function* watch(
  open: () => Promise<Response>,
  until: string,
  { signal }: CallOptions,
): AsyncGenerator<unknown, void, undefined> {
  let previous = '';
  for (let lost = 0; ; lost++) {
    const response = await open();
    try {
      for await (const text of eventsOf(response)) {
        lost = 0;
        if (text === previous) continue;
        previous = text;
        const state = JSON.parse(text) as Record<string, unknown>;
        yield state;
        if (state[until] !== null) return;
      }
    } catch (cause) {
      signal?.throwIfAborted();
      if (lost >= maxReconnects) throw new NoAnswer('network', `The connection was lost ${lost + 1} times in a row`, cause);
    }
    await sleep(backOff(lost), signal);
  }
}

/** Yields the data of each server-sent event. */
async function* eventsOf({ body }: Response): AsyncGenerator<string, void, undefined> {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  try {
    for (let read = await reader?.read(); read?.value; read = await reader?.read()) {
      text += decoder.decode(read.value, { stream: true });
      const events = text.split(/\r?\n\r?\n/);
      text = events.pop() ?? '';
      yield* events.map(dataOf).filter((data) => data !== '');
    }
  } finally {
    await reader?.cancel().catch(() => undefined);
  }
}

function dataOf(event: string): string {
  const lines = event.split(/\r?\n/).filter((line) => line.startsWith('data:'));
  return lines.map((line) => line.slice(5).trimStart()).join('\n');
}
