import type { PlatformMessages } from '../../../messages/console/platform.en.ts';
import { Field } from '../../../ui/field.tsx';
import { useConsole, useMessages } from '../../app/console.ts';
import { useField } from '../../parts/fields.tsx';
import { InvalidField, type Raw } from '../../parts/form-state.ts';

/** Reads `8.5` and `8,5`. Null if it is not a percentage with at most four decimals. */
export function readPercent(raw: Raw | undefined): number | null {
  const text = String(raw ?? '')
    .trim()
    .replace(',', '.');
  const percent = /^\d{1,3}(\.\d{1,4})?$/.test(text) ? Number(text) : Number.NaN;
  return percent <= 100 ? percent : null;
}

/** A percentage from 0 to 100. Its value is a number. */
export function PercentField({ name, label, hint }: { name: string; label: string; hint: string }) {
  const { locale } = useConsole();
  const t = useMessages<PlatformMessages>();
  const { id, raw, error, set } = useField(name, {
    label,
    format: (value) => new Intl.NumberFormat(locale, { maximumFractionDigits: 4, useGrouping: false }).format(value as number),
    parse: (typed) => {
      const percent = readPercent(typed);
      if (percent === null) throw new InvalidField(t.tax.invalid);
      return percent;
    },
  });
  return (
    <Field id={id} label={label} hint={hint} error={error}>
      {(attributes) => (
        <span class="with-unit">
          <input
            class="input"
            name={name}
            inputMode="decimal"
            autocomplete="off"
            required
            {...attributes}
            value={String(raw)}
            onInput={(event) => set(event.currentTarget.value)}
          />
          <span aria-hidden="true" class="platform-unit">
            %
          </span>
        </span>
      )}
    </Field>
  );
}
