import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DisputeRow } from '../orders/dispute.ts';
import { decideDispute } from './dispute.ts';
import type { ProviderDispute } from './providers/port.ts';

const common = { providerId: 'dp_1', paymentProviderId: 'pi_1', amount: 5500, reason: 'fraudulent' };
const report = (status: ProviderDispute['status'], movements: number, fee: number): ProviderDispute => ({
  ...common,
  status,
  movements,
  fee,
});

/** The reports of a provider in the order in which they happen. */
const histories: Record<string, ProviderDispute[]> = {
  'won, and the provider keeps the fee': [report('open', 0, 0), report('open', 1, 1500), report('won', 1, 1500), report('won', 2, 1500)],
  'won, and the provider returns the fee': [report('open', 1, 1500), report('won', 1, 1500), report('won', 2, 0)],
  lost: [report('open', 0, 0), report('open', 1, 1500), report('lost', 1, 1500)],
  'lost, and then won': [report('open', 1, 1500), report('lost', 1, 1500), report('won', 2, 1500)],
  'won, and then lost': [report('open', 1, 1500), report('won', 2, 1500), report('lost', 3, 3000)],
};

const at = new Date('2026-03-02T12:00:00Z');
const applied = (reports: readonly ProviderDispute[]): DisputeRow | undefined =>
  reports.reduce<DisputeRow | undefined>((known, each) => decideDispute(known, each, { paymentId: 1, at }) ?? known, undefined);

describe('decideDispute', () => {
  it.each(Object.entries(histories))('reports in any order and any number have the result of the last one: %s', (_, history) => {
    const repeated = fc.array(fc.constantFrom(...history), { maxLength: 6 });
    fc.assert(
      fc.property(fc.shuffledSubarray(history, { minLength: history.length }), repeated, fc.nat(10), (all, more, place) => {
        const last = history.at(-1);
        const reports = [...all.slice(0, place), ...more, ...all.slice(place)];
        expect(applied(reports)).toMatchObject({ status: last?.status, fee: last?.fee, movements: last?.movements });
      }),
    );
  });

  it('a dispute that is won has a time of closing, and a dispute that is open has none', () => {
    expect(applied([report('open', 1, 0)])).toMatchObject({ openedAt: at.toISOString(), closedAt: null });
    expect(applied([report('open', 1, 0), report('won', 2, 0)])).toMatchObject({ closedAt: at.toISOString() });
  });
});
