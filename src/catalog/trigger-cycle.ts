/** From the item whose event fires it to the item that it opens or closes. */
export interface Edge {
  from: number;
  to: number;
}

/** The items of a circle, in order, or null when following the triggers always ends. */
export function findCycle(edges: readonly Edge[]): number[] | null {
  const next = new Map<number, number[]>();
  for (const { from, to } of edges) next.set(from, [...(next.get(from) ?? []), to]);
  const finished = new Set<number>();
  for (const start of next.keys()) {
    const found = walkFrom(start, next, finished);
    if (found) return found;
  }
  return null;
}

/** Depth first, with the way we came as a stack of our own: chains may be as long as an event has items. */
function walkFrom(start: number, next: ReadonlyMap<number, number[]>, finished: Set<number>): number[] | null {
  const way = [{ item: start, choices: [...(next.get(start) ?? [])] }];
  const onWay = new Set([start]);
  while (way.length > 0) {
    const here = way.at(-1);
    const choice = here?.choices.pop();
    if (choice === undefined) {
      const done = way.pop();
      if (done) {
        finished.add(done.item);
        onWay.delete(done.item);
      }
    } else if (onWay.has(choice)) {
      const items = way.map(({ item }) => item);
      return items.slice(items.indexOf(choice));
    } else if (!finished.has(choice)) {
      way.push({ item: choice, choices: [...(next.get(choice) ?? [])] });
      onWay.add(choice);
    }
  }
  return null;
}
