import { calculateTax } from '../../../../src/tax/calculate.ts';
import type { PlatformMessages } from '../../../messages/console/platform.en.ts';
import { fill } from '../../../messages/fill.ts';
import { money } from '../../../ui/format.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { useForm } from '../../parts/form-state.ts';
import { readMoney } from '../../parts/money-text.ts';
import { readPercent } from './percent-field.tsx';

export interface Policy {
  ratePercent: number;
  minimum: number;
  taxDistribution: number;
}

const toE4 = (percent: number): number => Math.round(percent * 10_000);

interface TaxExampleProps {
  policy: Policy;
  currency: string;
}

/** What a ticket of 80.00 costs the buyer, and who gets what. Calculated with the rule of the service. */
export function TaxExample({ policy: { ratePercent, minimum, taxDistribution }, currency }: TaxExampleProps) {
  const { locale } = useConsole();
  const t = useMessages<PlatformMessages>();
  const price = 8_000;
  const policy = { rate: toE4(ratePercent), minimum, distribution: toE4(taxDistribution) };
  const { tax, finalPrice, producerReceives } = calculateTax({ price }, policy);
  const text = (cents: number) => money(cents, currency, locale);
  return (
    <p class="platform-example" aria-live="polite">
      {fill(t.tax.example, { price: text(price), buyer: text(finalPrice), producer: text(producerReceives), platform: text(tax) })}
    </p>
  );
}

/** The example for what is typed in the form. It stays away while a field is invalid. */
export function LiveTaxExample({ currency }: { currency: string }) {
  const { edits, initial } = useForm();
  const typed = (name: keyof Policy, read: (raw: string) => number | null): number | null =>
    edits[name] === undefined ? (initial[name] as number) : read(String(edits[name]));
  const ratePercent = typed('ratePercent', readPercent);
  const minimum = typed('minimum', (raw) => (raw === '' ? 0 : readMoney(raw)));
  const taxDistribution = typed('taxDistribution', readPercent);
  if (ratePercent === null || minimum === null || taxDistribution === null) return null;
  return <TaxExample policy={{ ratePercent, minimum, taxDistribution }} currency={currency} />;
}
