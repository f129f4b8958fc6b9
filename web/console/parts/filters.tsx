import { useId } from 'preact/hooks';
import { useFilter } from './use-filter.ts';

/** A search field above a list. Its text is in the address under `name`: `place.query.get('term')`. */
export function SearchFilter({ name = 'term', label }: { name?: string; label: string }) {
  const [, set, typed] = useFilter(name);
  return (
    <input
      class="input filter-search"
      type="search"
      aria-label={label}
      placeholder={label}
      autocomplete="off"
      maxLength={100}
      value={typed}
      onInput={(event) => set(event.currentTarget.value)}
    />
  );
}

interface SelectFilterProps {
  name: string;
  label: string;
  /** The first option shows everything and has the value `''`. */
  options: readonly { value: string; label: string }[];
}

/** A choice above a list. Its value is in the address under `name`. */
export function SelectFilter({ name, label, options }: SelectFilterProps) {
  const [, set, typed] = useFilter(name);
  const id = useId();
  return (
    <select id={id} class="input filter-select" aria-label={label} value={typed} onChange={(event) => set(event.currentTarget.value)}>
      {options.map(({ value, label: words }) => (
        <option key={value} value={value} selected={value === typed}>
          {words}
        </option>
      ))}
    </select>
  );
}

/** A day above a list, such as `2026-12-12`. It is in the address under `name`. */
export function DateFilter({ name, label }: { name: string; label: string }) {
  const [, set, typed] = useFilter(name);
  return (
    <label class="actions filter-date">
      <span class="soft">{label}</span>
      <input class="input" type="date" value={typed} onInput={(event) => set(event.currentTarget.value)} />
    </label>
  );
}
