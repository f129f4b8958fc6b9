import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { Field } from '../../ui/field.tsx';
import { date } from '../../ui/format.ts';
import { useConsole } from '../app/console.ts';
import { type FieldKind, InvalidField, type Raw, rawOf, useForm } from './form-state.ts';
import { moneyText, readMoney } from './money-text.ts';

interface FieldProps {
  /** The name in `initial` of the form, and of the field in the API. */
  name: string;
  label: string;
  hint?: string;
  required?: boolean;
}

interface ControlAttributes {
  id: string;
  name: string;
}

/** Connects a control to its form. Use it for a new kind of field. */
export function useField(name: string, kind: FieldKind) {
  const form = useForm();
  const { kinds } = form;
  kinds.set(name, kind);
  useEffect(() => () => void kinds.delete(name), [kinds, name]);
  const set = (raw: Raw) => form.set(name, raw);
  return { id: `${form.id}-${name}`, raw: rawOf(form, name, kind), error: form.errors[name] ?? null, set };
}

interface LabelledProps extends FieldProps {
  kind: Pick<FieldKind, 'format' | 'parse' | 'describe'>;
  children: (attributes: ControlAttributes, raw: string, set: (text: string) => void) => ComponentChildren;
}

function Labelled({ name, label, hint, required, kind, children }: LabelledProps) {
  const { t } = useConsole();
  const { id, raw, error, set } = useField(name, { label, ...kind });
  return (
    <Field id={id} label={required ? label : `${label} ${t.optional}`} error={error} {...(hint && { hint })}>
      {(attributes) => children({ ...attributes, name, ...(required && { required: true }) }, String(raw), set)}
    </Field>
  );
}

const text: LabelledProps['kind'] = {
  format: (value) => (value as string | null | undefined) ?? '',
  parse: (raw) => String(raw).trim() || null,
};
/** Passwords keep their spaces. */
const verbatim: LabelledProps['kind'] = { ...text, parse: (raw) => String(raw) };

interface InputAttributes {
  maxLength?: number;
  minLength?: number;
  /** A regular expression, as HTML has it. */
  pattern?: string;
  placeholder?: string;
  autocomplete?: string;
  inputMode?: 'text' | 'numeric' | 'decimal' | 'email' | 'url' | 'tel';
  autofocus?: boolean;
  min?: string | number;
  max?: string | number;
  /** The id of a `<datalist>` with suggestions. */
  list?: string;
}

interface TextFieldProps extends FieldProps, InputAttributes {
  type?: 'text' | 'email' | 'password' | 'url' | 'search' | 'tel' | 'date';
}

/** A line of text. Its value is a string, or null if it is empty. */
export const TextField = ({ name, label, hint, required, type = 'text', ...attributes }: TextFieldProps) => (
  <Labelled name={name} label={label} required={required ?? false} kind={type === 'password' ? verbatim : text} {...(hint && { hint })}>
    {(control, raw, set) => (
      <input
        {...({ type, class: 'input', ...attributes, ...control } as object)}
        value={raw}
        onInput={(event) => set(event.currentTarget.value)}
      />
    )}
  </Labelled>
);

/** A new password, with the limits of the API. */
export const NewPasswordField = (props: FieldProps) => (
  <TextField {...props} type="password" autocomplete="new-password" minLength={10} maxLength={200} required />
);

/** Several lines of text. Its value is a string, or null if it is empty. */
export const TextArea = ({ name, label, hint, required, rows = 4, maxLength }: FieldProps & { rows?: number; maxLength?: number }) => (
  <Labelled name={name} label={label} required={required ?? false} kind={text} {...(hint && { hint })}>
    {(control, raw, set) => (
      <textarea
        class="input"
        rows={rows}
        {...(maxLength && { maxLength })}
        {...control}
        value={raw}
        onInput={(event) => set(event.currentTarget.value)}
      />
    )}
  </Labelled>
);

/** A whole number. Its value is a number, or null if it is empty. */
export function NumberField({
  name,
  label,
  hint,
  required,
  ...attributes
}: FieldProps & Pick<InputAttributes, 'min' | 'max' | 'placeholder'>) {
  const { t } = useConsole();
  const kind: LabelledProps['kind'] = {
    format: (value) => ((value as number | null | undefined) ?? '').toString(),
    parse: (raw) => {
      if (raw === '') return null;
      if (!/^-?\d+$/.test(String(raw))) throw new InvalidField(t.invalid.number);
      return Number(raw);
    },
  };
  return (
    <Labelled name={name} label={label} required={required ?? false} kind={kind} {...(hint && { hint })}>
      {(control, raw, set) => (
        <input
          class="input"
          type="number"
          step="1"
          inputMode="numeric"
          {...attributes}
          {...control}
          value={raw}
          onInput={(event) => set(event.currentTarget.value)}
        />
      )}
    </Labelled>
  );
}

/** An amount in units of the currency. Its value is in cents, or null if it is empty. */
export function MoneyField({ name, label, hint, required, currency }: FieldProps & { currency: string }) {
  const { t, locale } = useConsole();
  const kind: LabelledProps['kind'] = {
    format: (value) => (value === null || value === undefined ? '' : moneyText(value as number, locale)),
    parse: (raw) => {
      if (raw === '') return null;
      const cents = readMoney(String(raw));
      if (cents === null) throw new InvalidField(t.invalid.money);
      return cents;
    },
  };
  return (
    <Labelled name={name} label={label} required={required ?? false} kind={kind} {...(hint && { hint })}>
      {(control, raw, set) => (
        <span class="with-unit">
          <span aria-hidden="true">{currency}</span>
          <input
            class="input"
            inputMode="decimal"
            autocomplete="off"
            {...control}
            value={raw}
            onInput={(event) => set(event.currentTarget.value)}
          />
        </span>
      )}
    </Labelled>
  );
}

/** A local time of the event, as the API writes it: `2026-12-12 21:00:00`. Null if it is empty. */
export function DateTimeField({ name, label, hint, required, ...attributes }: FieldProps & Pick<InputAttributes, 'min' | 'max'>) {
  const { locale } = useConsole();
  const kind: LabelledProps['kind'] = {
    format: (value) => ((value as string | null | undefined) ?? '').slice(0, 16).replace(' ', 'T'),
    parse: (raw) => (raw === '' ? null : `${String(raw).replace('T', ' ')}:00`),
    describe: (raw) => (raw === '' ? '–' : date(String(raw), 'longMoment', locale)),
  };
  return (
    <Labelled name={name} label={label} required={required ?? false} kind={kind} {...(hint && { hint })}>
      {(control, raw, set) => (
        <input
          class="input"
          type="datetime-local"
          {...attributes}
          {...control}
          value={raw}
          onInput={(event) => set(event.currentTarget.value)}
        />
      )}
    </Labelled>
  );
}

interface SelectFieldProps extends FieldProps {
  options: readonly { value: string; label: string }[];
}

/** A choice. Its value is a string. An option with the value `''` means null. */
export const SelectField = ({ name, label, hint, required, options }: SelectFieldProps) => {
  const kind = { ...text, describe: (raw: Raw) => options.find(({ value }) => value === raw)?.label ?? String(raw) };
  return (
    <Labelled name={name} label={label} required={required ?? false} kind={kind} {...(hint && { hint })}>
      {(control, raw, set) => (
        <select class="input" {...control} value={raw} onChange={(event) => set(event.currentTarget.value)}>
          {options.map(({ value, label: words }) => (
            <option key={value} value={value} selected={value === raw}>
              {words}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
};

/** A box to tick. Its value is true or false. */
export function CheckboxField({ name, label, hint }: FieldProps) {
  const { id, raw, error, set } = useField(name, { label, format: (value) => value === true, parse: (value) => value === true });
  const about = error ?? hint;
  return (
    <div class="field">
      <span class="check">
        <input
          type="checkbox"
          id={id}
          name={name}
          checked={raw === true}
          onChange={(event) => set(event.currentTarget.checked)}
          {...(about && { 'aria-describedby': `${id}-about` })}
        />
        <label for={id}>{label}</label>
      </span>
      {about && (
        <p id={`${id}-about`} class={error ? 'field-error' : 'field-hint'}>
          {about}
        </p>
      )}
    </div>
  );
}
