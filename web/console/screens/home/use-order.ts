import { useEffect, useRef } from 'preact/hooks';

interface Row {
  id: number;
  position: number;
}

interface OrderOptions<R extends Row> {
  rows: readonly R[];
  /** Shows the rows in their new order, before it is saved. */
  show: (rows: R[]) => void;
  /** Saves the positions of the rows that have moved. */
  save: (moved: { id: number; position: number }[]) => unknown;
}

const pauseMs = 500;

/** Returns what `OrderedList` calls. A row is often moved several times, so the order is saved after a pause, or when the reader leaves. */
export function useOrder<R extends Row>({ rows, show, save }: OrderOptions<R>): (moved: R[]) => void {
  const waiting = useRef<{ timer: ReturnType<typeof setTimeout>; stored: Map<number, number>; send: () => void } | null>(null);
  useEffect(() => () => waiting.current?.send(), []);
  return (moved) => {
    clearTimeout(waiting.current?.timer);
    const stored = waiting.current?.stored ?? new Map(rows.map(({ id, position }) => [id, position]));
    const send = () => {
      clearTimeout(waiting.current?.timer);
      waiting.current = null;
      save(moved.map(({ id }, position) => ({ id, position })).filter(({ id, position }) => stored.get(id) !== position));
    };
    waiting.current = { timer: setTimeout(send, pauseMs), stored, send };
    show(moved.map((row, position) => ({ ...row, position })));
  };
}
