import { useState } from 'preact/hooks';
import { Icon } from '../../ui/icon.tsx';
import * as icons from '../../ui/icons.ts';
import { useConsole } from '../app/console.ts';
import { Menu } from './menu.tsx';
import type { Column } from './table.tsx';

type Columns = readonly Pick<Column<never>, 'key' | 'label' | 'optional'>[];

/** The columns that the reader does not see. The choice is stored in the browser. */
export function useHiddenColumns(name: string, columns: Columns): [ReadonlySet<string>, (hidden: ReadonlySet<string>) => void] {
  const key = `tessera-columns ${name}`;
  const [hidden, setHidden] = useState<ReadonlySet<string>>(() => {
    const stored = localStorage.getItem(key);
    return new Set(
      stored === null ? columns.filter(({ optional }) => optional === 'hidden').map((column) => column.key) : stored.split(' '),
    );
  });
  const store = (next: ReadonlySet<string>) => {
    localStorage.setItem(key, [...next].join(' '));
    setHidden(next);
  };
  return [hidden, store];
}

interface ColumnMenuProps {
  columns: Columns;
  hidden: ReadonlySet<string>;
  onChange: (hidden: ReadonlySet<string>) => void;
}

export function ColumnMenu({ columns, hidden, onChange }: ColumnMenuProps) {
  const { t } = useConsole();
  const toggle = (key: string) => {
    const next = new Set(hidden);
    if (!next.delete(key)) next.add(key);
    onChange(next);
  };
  return (
    <Menu
      class="column-menu"
      label={t.table.columns}
      summary={
        <span class="icon-button">
          <Icon path={icons.columns} size={18} />
        </span>
      }
    >
      <fieldset>
        <legend class="visually-hidden">{t.table.columns}</legend>
        {columns
          .filter(({ optional }) => optional)
          .map(({ key, label }) => (
            <label key={key} class="check">
              <input type="checkbox" checked={!hidden.has(key)} onChange={() => toggle(key)} />
              {label}
            </label>
          ))}
      </fieldset>
    </Menu>
  );
}
