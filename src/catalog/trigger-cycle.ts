/** A trigger as an edge of a graph: from the item that fires the trigger to the item that the trigger opens or closes. */
export interface Edge {
  from: number;
  to: number;
}

/** Returns the items of a cycle in order, or null if there is none. */
export function findCycle(edges: readonly Edge[]): number[] | null {
  const targetsOf = new Map<number, number[]>();
  for (const { from, to } of edges) targetsOf.set(from, [...(targetsOf.get(from) ?? []), to]);
  const finished = new Set<number>();
  for (const start of targetsOf.keys()) {
    const found = walkFrom(start, targetsOf, finished);
    if (found) return found;
  }
  return null;
}

/** Depth-first search with an explicit stack: recursion could overflow, because a chain can be as long as the number of items. */
function walkFrom(start: number, targetsOf: ReadonlyMap<number, number[]>, finished: Set<number>): number[] | null {
  const path = [{ item: start, targets: [...(targetsOf.get(start) ?? [])] }];
  const onPath = new Set([start]);
  while (path.length > 0) {
    const current = path.at(-1);
    const target = current?.targets.pop();
    if (target === undefined) {
      const finishedStep = path.pop();
      if (finishedStep) {
        finished.add(finishedStep.item);
        onPath.delete(finishedStep.item);
      }
    } else if (onPath.has(target)) {
      const items = path.map(({ item }) => item);
      return items.slice(items.indexOf(target));
    } else if (!finished.has(target)) {
      path.push({ item: target, targets: [...(targetsOf.get(target) ?? [])] });
      onPath.add(target);
    }
  }
  return null;
}
