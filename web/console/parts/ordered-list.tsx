import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { fill } from '../../messages/fill.ts';
import { Icon } from '../../ui/icon.tsx';
import * as icons from '../../ui/icons.ts';
import './ordered-list.css';

interface OrderedListProps<R> {
  rows: readonly R[];
  rowKey: (row: R) => string | number;
  /** The name of a row, for the buttons that move it. */
  name: (row: R) => string;
  /** Templates with `{name}`: "Move {name} up". */
  labels: { up: string; down: string };
  onMove: (rows: R[]) => unknown;
  children: (row: R) => ComponentChildren;
}

/** A list whose rows are moved with buttons, so that it works with a keyboard, a mouse and a finger. The focus stays on the moved row. */
export function OrderedList<R>({ rows, rowKey, name, labels, onMove, children }: OrderedListProps<R>) {
  const list = useRef<HTMLOListElement>(null);
  const moved = useRef<{ key: string | number; by: 1 | -1 } | null>(null);
  // The browser drops the focus when an element moves. It is set again before the next key is pressed.
  useLayoutEffect(() => {
    if (!moved.current) return;
    const { key, by } = moved.current;
    moved.current = null;
    focusRow(list.current?.children[rows.findIndex((row) => rowKey(row) === key)], by);
  }, [rows]);
  const move = (from: number, by: 1 | -1) => {
    const others = [...rows];
    const [row] = others.splice(from, 1);
    if (row === undefined) return;
    others.splice(from + by, 0, row);
    moved.current = { key: rowKey(row), by };
    onMove(others);
  };
  return (
    <ol class="rows ordered" ref={list}>
      {rows.map((row, index) => (
        <li key={rowKey(row)}>
          <div class="ordered-row">{children(row)}</div>
          <span class="ordered-moves">
            <MoveButton label={fill(labels.up, { name: name(row) })} by={-1} disabled={index === 0} onClick={() => move(index, -1)} />
            <MoveButton
              label={fill(labels.down, { name: name(row) })}
              by={1}
              disabled={index === rows.length - 1}
              onClick={() => move(index, 1)}
            />
          </span>
        </li>
      ))}
    </ol>
  );
}

interface MoveButtonProps {
  label: string;
  by: 1 | -1;
  disabled: boolean;
  onClick: () => void;
}

const MoveButton = ({ label, by, disabled, onClick }: MoveButtonProps) => (
  <button
    type="button"
    class={`icon-button ${by < 0 ? 'up' : 'down'}`}
    aria-label={label}
    title={label}
    disabled={disabled}
    onClick={onClick}
  >
    <Icon path={icons.chevron} />
  </button>
);

/** At the end of the list the button that was used is off. Then the other one gets the focus. */
function focusRow(row: Element | undefined, by: 1 | -1): void {
  const [up, down] = [row?.querySelector<HTMLButtonElement>('.up'), row?.querySelector<HTMLButtonElement>('.down')];
  const [same, other] = by < 0 ? [up, down] : [down, up];
  (same && !same.disabled ? same : other)?.focus();
}
