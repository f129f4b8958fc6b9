/** Tables are keyed by event, so a row is found by the id of its event and its own id. */
export interface RowKey {
  eventId: number;
  id: number;
}

/** Returns the ids of each event, with the events in ascending order. Transactions that lock rows of several events lock them in this order. */
export function idsByEvent(keys: readonly RowKey[]): [eventId: number, ids: number[]][] {
  const ids = new Map<number, number[]>();
  for (const { eventId, id } of keys) {
    const known = ids.get(eventId);
    if (known) known.push(id);
    else ids.set(eventId, [id]);
  }
  return [...ids].toSorted(([a], [b]) => a - b);
}
