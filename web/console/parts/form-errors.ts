import type { InputError } from '../../../client/src/index.ts';
import type { FrameMessages } from '../../messages/console/frame.en.ts';
import { fill } from '../../messages/fill.ts';
import type { FieldKind } from './form-state.ts';

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/** What the HTML constraints of a control say about its value, in the reader's language. Null if it is valid. */
export function constraintText(t: FrameMessages, control: Control): string | null {
  const { validity } = control;
  if (validity.valid) return null;
  const { min, max, minLength, maxLength } = control as HTMLInputElement;
  if (validity.valueMissing) return t.invalid.required;
  if (validity.typeMismatch && control.type === 'email') return t.invalid.email;
  if (validity.tooShort) return fill(t.invalid.tooShort, { count: minLength });
  if (validity.tooLong) return fill(t.invalid.tooLong, { count: maxLength });
  if (validity.rangeUnderflow) return fill(t.invalid.tooSmall, { min: min.replace('T', ' ') });
  if (validity.rangeOverflow) return fill(t.invalid.tooLarge, { max: max.replace('T', ' ') });
  return t.invalid.format;
}

export interface FormErrors {
  byField: Record<string, string>;
  /** The messages for fields that the form does not show. */
  others: string[];
}

/** Assigns the errors of the API to the fields of the form. `sessions.0.start` also belongs to a field `sessions`. */
export function assignErrors(errors: readonly InputError[], kinds: ReadonlyMap<string, FieldKind>): FormErrors {
  const result: FormErrors = { byField: {}, others: [] };
  for (const { field, message } of errors) {
    const name = [field, field.split('.')[0] ?? ''].find((candidate) => kinds.has(candidate));
    if (name === undefined) result.others.push(`${field}: ${message}`);
    else result.byField[name] ??= message;
  }
  return result;
}
