/** A message that depends on a number. `Intl.PluralRules` chooses the form. */
export interface Plural {
  readonly one: string;
  readonly other: string;
}

type Values = Readonly<Record<string, string | number>>;

/** Replaces each `{name}` of the text with its value. */
export const fill = (text: string, values: Values): string =>
  text.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) => String(values[name] ?? placeholder));

const rules = new Map<string, Intl.PluralRules>();

/** Chooses the form for `count` and fills in `{count}` and the other values. */
export function plural(locale: string, forms: Plural, count: number, values: Values = {}): string {
  const rule = rules.get(locale) ?? new Intl.PluralRules(locale);
  rules.set(locale, rule);
  const form = rule.select(count) === 'one' ? forms.one : forms.other;
  return fill(form, { count: new Intl.NumberFormat(locale).format(count), ...values });
}
