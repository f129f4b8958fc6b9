import type { CodesMessages } from '../../../messages/console/codes.en.ts';
import { useMessages } from '../../app/console.ts';
import { useField } from '../../parts/fields.tsx';
import type { Item } from './access-code-list.tsx';

const idsIn = (raw: string | boolean): number[] => String(raw).split(',').filter(Boolean).map(Number);

/** Boxes to tick for the hidden tickets. Its value is a list of ids. */
export function ItemsField({ items }: { items: readonly Item[] }) {
  const { access: t } = useMessages<CodesMessages>();
  const nameOf = (id: number) => items.find((item) => item.id === id)?.name ?? String(id);
  const { raw, error, set } = useField('itemIds', {
    label: t.form.items,
    format: (value) => (value as number[]).toSorted((a, b) => a - b).join(','),
    parse: idsIn,
    describe: (value) => idsIn(value).map(nameOf).join(', ') || '–',
  });
  const chosen = idsIn(raw);
  const offered = items.filter(({ id, hidden, archived }) => chosen.includes(id) || (hidden && !archived));
  const toggle = (id: number) =>
    set((chosen.includes(id) ? chosen.filter((other) => other !== id) : [...chosen, id]).toSorted((a, b) => a - b).join(','));
  return (
    <fieldset class="codes-items">
      <legend>{t.form.items}</legend>
      {offered.length === 0 && <p class="soft">{t.form.noItems}</p>}
      {offered.map(({ id, name }) => (
        <label key={id} class="check">
          <input type="checkbox" checked={chosen.includes(id)} onChange={() => toggle(id)} />
          {name}
        </label>
      ))}
      {error && (
        <p class="field-error" role="alert">
          {error}
        </p>
      )}
    </fieldset>
  );
}
