import { useRef, useState } from 'preact/hooks';
import type { TicketsMessages } from '../../../messages/console/tickets.en.ts';
import { fill } from '../../../messages/fill.ts';
import { useMessages } from '../../app/console.ts';
import { type Branch, moved, siblingsOf } from './tree.ts';

export interface Sorting {
  move(id: number, by: number): void;
  canMove(id: number, by: number): boolean;
  /** The attributes of the button that moves a row: it can be dragged, and arrow keys move it. */
  handleOf(id: number): object;
  rowOf(id: number): object;
  /** What happened last, for screen readers. */
  announcement: string;
}

const steps: Partial<Record<string, number>> = { ArrowUp: -1, ArrowDown: 1 };

/** Orders the rows by dragging, by arrow keys, or from the menu of a row. A row stays within its group. */
export function useSorting(tree: readonly Branch[], reorder: (ids: number[]) => unknown): Sorting {
  const t = useMessages<TicketsMessages>();
  const [announcement, announce] = useState('');
  const [dragged, setDragged] = useState<number | null>(null);
  const [target, setTarget] = useState<number | null>(null);
  const handles = useRef(new Map<number, HTMLElement>()).current;
  const nameOf = (id: number) => tree.flatMap(({ item, lots }) => [item, ...lots]).find((item) => item.id === id)?.name ?? '';

  function place(id: number, at: number): void {
    const siblings = siblingsOf(tree, id);
    const ids = moved(tree, id, at);
    if (!ids) return;
    announce(fill(t.moved, { name: nameOf(id), place: at + 1, of: siblings.length }));
    void reorder(ids);
    // The row may have been moved in the document, which takes the focus away.
    setTimeout(() => handles.get(id)?.focus(), 0);
  }
  const move = (id: number, by: number) => place(id, siblingsOf(tree, id).indexOf(id) + by);
  const canMove = (id: number, by: number) => moved(tree, id, siblingsOf(tree, id).indexOf(id) + by) !== null;
  const isSibling = (id: number) => dragged !== null && dragged !== id && siblingsOf(tree, dragged).includes(id);

  const handleOf = (id: number) => ({
    ref: (element: HTMLElement | null) => (element ? handles.set(id, element) : handles.delete(id)),
    draggable: true,
    onKeyDown: (event: KeyboardEvent) => {
      const by = steps[event.key];
      if (by === undefined) return;
      event.preventDefault();
      move(id, by);
    },
    onDragStart: (event: DragEvent) => {
      const row = (event.currentTarget as Element).closest('tr');
      if (row) event.dataTransfer?.setDragImage(row, 0, 0);
      event.dataTransfer?.setData('text/plain', String(id));
      setDragged(id);
    },
    onDragEnd: () => {
      setDragged(null);
      setTarget(null);
    },
  });

  const rowOf = (id: number) => ({
    'data-dragged': dragged === id || undefined,
    'data-target': target === id || undefined,
    onDragOver: (event: DragEvent) => {
      if (!isSibling(id)) return;
      event.preventDefault();
      setTarget(id);
    },
    onDrop: (event: DragEvent) => {
      if (!isSibling(id) || dragged === null) return;
      event.preventDefault();
      place(dragged, siblingsOf(tree, dragged).indexOf(id));
    },
  });

  return { move, canMove, handleOf, rowOf, announcement };
}
