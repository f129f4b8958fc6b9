import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { Icon } from '../../ui/icon.tsx';
import * as icons from '../../ui/icons.ts';
import { useConsole } from '../app/console.ts';
import type { Pages } from '../app/use-data.ts';
import { ColumnMenu, useHiddenColumns } from './column-menu.tsx';

export interface Column<R> {
  key: string;
  label: string;
  cell: (row: R) => ComponentChildren;
  /** `end` for numbers and money. */
  align?: 'end';
  /** Sorts by this value. Offered only while all rows are loaded, because the API decides the order of pages. */
  sort?: (row: R) => string | number | null;
  /** The reader can hide the column. `hidden` hides it until the reader chooses it. The first column is always shown. */
  optional?: true | 'hidden';
}

interface TableProps<R> {
  /** Unique in the console: the choice of columns is stored under it. */
  name: string;
  /** What the table shows, for screen readers. */
  caption: string;
  columns: readonly Column<R>[];
  rows: readonly R[];
  rowKey: (row: R) => string | number;
  /** The screen of a row. The first cell becomes a link, and the whole row can be clicked. */
  href?: (row: R) => string;
  /** From `usePages`: the button for the next page. */
  more?: Pages<R>['more'];
  /** Above the table, for example buttons for all rows. */
  children?: ComponentChildren;
}

interface Order {
  key: string;
  isDown: boolean;
}

/** A table with a choice of columns and cursor paging. On a phone each row is a card. Arrow keys move between the links of the rows. */
export function Table<R>({ name, caption, columns, rows, rowKey, href, more = null, children }: TableProps<R>) {
  const [hidden, setHidden] = useHiddenColumns(name, columns);
  const [order, setOrder] = useState<Order | null>(null);
  const shown = columns.filter(({ key }) => !hidden.has(key));
  const sorted = more === null ? sortRows(rows, columns, order) : rows;
  const hasChoice = columns.some(({ optional }) => optional);
  return (
    <div class="table-box">
      {children && <div class="table-tools">{children}</div>}
      {hasChoice && <ColumnMenu columns={columns} hidden={hidden} onChange={setHidden} />}
      <table class={`table ${hasChoice ? 'with-choice' : ''}`} role="table" onKeyDown={moveBetweenRows}>
        <caption class="visually-hidden">{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {shown.map((column) => (
              <Heading key={column.key} column={column} order={order} onOrder={more === null ? setOrder : null} />
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {sorted.map((row) => (
            <tr key={rowKey(row)} role="row" class={href ? 'linked' : ''}>
              {shown.map(({ key, label, cell, align }, index) => (
                <td key={key} role="cell" class={align ?? ''} data-label={label}>
                  {href && index === 0 ? <a href={href(row)}>{cell(row)}</a> : cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {more && <MoreButton more={more} />}
    </div>
  );
}

interface HeadingProps<R> {
  column: Column<R>;
  order: Order | null;
  onOrder: ((order: Order) => void) | null;
}

function Heading<R>({ column: { key, label, align, sort }, order, onOrder }: HeadingProps<R>) {
  const isOrdered = order?.key === key;
  const direction = isOrdered ? (order.isDown ? 'descending' : 'ascending') : undefined;
  return (
    <th scope="col" role="columnheader" class={align ?? ''} {...(direction && { 'aria-sort': direction })}>
      {sort && onOrder ? (
        <button type="button" class={`sort ${direction ?? ''}`} onClick={() => onOrder({ key, isDown: isOrdered && !order.isDown })}>
          {label}
          <Icon path={icons.chevron} size={16} />
        </button>
      ) : (
        label
      )}
    </th>
  );
}

function MoreButton({ more }: { more: () => Promise<void> }) {
  const { t } = useConsole();
  const [state, setState] = useState<'idle' | 'busy' | 'failed'>('idle');
  const button = useRef<HTMLButtonElement>(null);
  const load = async () => {
    setState('busy');
    // The focus goes to the first new row.
    const links = button.current?.closest('.table-box')?.querySelectorAll('tbody tr').length ?? 0;
    const box = button.current?.closest('.table-box');
    try {
      await more();
      setState('idle');
      setTimeout(() => box?.querySelectorAll('tbody tr')[links]?.querySelector<HTMLElement>('a, button')?.focus(), 0);
    } catch {
      setState('failed');
    }
  };
  return (
    <button ref={button} type="button" class="button secondary more" aria-busy={state === 'busy'} onClick={() => void load()}>
      {state === 'failed' ? t.table.moreFailed : t.table.more}
    </button>
  );
}

function sortRows<R>(rows: readonly R[], columns: readonly Column<R>[], order: Order | null): readonly R[] {
  const value = columns.find(({ key }) => key === order?.key)?.sort;
  if (!value) return rows;
  const compare = (a: string | number | null, b: string | number | null): number =>
    typeof a === 'number' && typeof b === 'number' ? a - b : String(a ?? '').localeCompare(String(b ?? ''));
  return rows.toSorted((a, b) => compare(value(a), value(b)) * (order?.isDown ? -1 : 1));
}

const steps: Partial<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

function moveBetweenRows(event: KeyboardEvent & { currentTarget: HTMLTableElement }): void {
  const step = steps[event.key];
  const row = (event.target as Element).closest('tbody tr');
  if (step === undefined || !row || (event.target as Element).matches('input, select, textarea')) return;
  const rows = [...event.currentTarget.querySelectorAll('tbody tr')];
  const next = rows[rows.indexOf(row) + step]?.querySelector<HTMLElement>('a, button, input');
  if (!next) return;
  event.preventDefault();
  next.focus();
}
