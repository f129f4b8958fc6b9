import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { fill } from '../../messages/fill.ts';
import { Icon } from '../../ui/icon.tsx';
import * as icons from '../../ui/icons.ts';
import { useField } from './fields.tsx';
import { namesIn } from './rows.ts';

interface RowListProps {
  /** The field of the form that holds the names of the rows. */
  name: string;
  /** What the rows are, for the comparison of two versions. */
  label: string;
  /** The class of a row. */
  rowClass: string;
  add: string;
  /** The label of the button that removes a row: "Remove question {number}". */
  remove: string;
  /** How many rows must stay. */
  least?: number;
  /** Shown while there are no rows. */
  none?: string;
  /** The fields of a row. Their names begin with the name of the row: `new1.answer`. */
  children: (row: string, number: number) => ComponentChildren;
}

/** Rows of fields inside a form. The reader adds and removes rows. */
export function RowList({ name, label, rowClass, add, remove, least = 0, none, children }: RowListProps) {
  const list = useRows(name, label);
  const addButton = useRef<HTMLButtonElement>(null);
  const removeRow = (row: string) => {
    list.remove(row);
    // The button that had the focus is gone.
    addButton.current?.focus();
  };
  return (
    <>
      {none !== undefined && list.rows.length === 0 && <p class="soft">{none}</p>}
      {list.rows.map((row, index) => (
        <div key={row} class={rowClass}>
          {children(row, index + 1)}
          {list.rows.length > least && (
            <button type="button" class="icon-button" aria-label={fill(remove, { number: index + 1 })} onClick={() => removeRow(row)}>
              <Icon path={icons.close} />
            </button>
          )}
        </div>
      ))}
      <button ref={addButton} type="button" class="button plain row-add" onClick={list.add}>
        <Icon path={icons.plus} size={18} />
        {add}
      </button>
    </>
  );
}

/**
 * The rows of a list inside a form. Which rows there are is a field of the form, so that the draft keeps it. Its value is the names of the rows:
 * `item4 item7 new1`.
 */
function useRows(name: string, label: string) {
  const { raw, set } = useField(name, {
    label,
    format: (value) => (value as string | undefined) ?? '',
    parse: (value) => value,
    describe: (value) => String(namesIn(String(value)).length),
  });
  const rows = namesIn(String(raw));
  const add = () => {
    const free = Array.from({ length: rows.length + 1 }, (_, index) => `new${index + 1}`).find((row) => !rows.includes(row));
    set([...rows, free].join(' '));
  };
  return { rows, add, remove: (row: string) => set(rows.filter((other) => other !== row).join(' ')) };
}
