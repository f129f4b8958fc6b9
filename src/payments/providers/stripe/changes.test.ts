import type Stripe from 'stripe';
import { describe, expect, it } from 'vitest';
import { minutesLater, never, startOfTest, startPaid, useAdapter, webhookSecret } from '../../../../test/stripe/use-adapter.ts';
import { type ProviderNotice, ProviderUnavailable } from '../port.ts';
import { inOurVersion } from './changes.ts';
import { createApi } from './client.ts';

const adapter = useAdapter();
const { standIn } = adapter;

async function changes(since: Date, signal = never): Promise<ProviderNotice[]> {
  const found: ProviderNotice[] = [];
  for await (const notice of adapter.provider.changesSince(since, signal)) found.push(notice);
  return found;
}

describe('changesSince', () => {
  it('returns nothing if nothing happened', async () => {
    expect(await changes(minutesLater(-60))).toEqual([]);
  });

  it('returns all pages of several hours, oldest first, and only the known types', async () => {
    const ids: string[] = [];
    for (let hour = 0; hour < 3; hour++) {
      for (let i = 0; i < 60; i++)
        ids.push((await startPaid(adapter, { method: 'pix', expiresAt: minutesLater(hour * 60 + 15) })).providerId);
      standIn.advanceClock(3600);
    }
    const all = await changes(startOfTest);
    expect(all.map(({ type }) => type)).toEqual(ids.flatMap(() => ['payment_intent.requires_action', 'payment_intent.succeeded']));
    const paid = all.flatMap((notice) =>
      notice.about === 'payment' && notice.payment.status === 'paid' ? [notice.payment.providerId] : [],
    );
    expect(paid).toEqual(ids);
    const later = await changes(minutesLater(60));
    expect(later).toEqual(all.slice(120));
  });

  it('gives a notice the same id and content as its delivery', async () => {
    await startPaid(adapter, { method: 'pix', expiresAt: minutesLater(600) });
    const [event] = standIn
      .heldEvents()
      .filter(({ type }) => type === 'payment_intent.succeeded')
      .slice(-1);
    expect((await changes(minutesLater(170))).at(-1)).toMatchObject({ id: event?.id, about: 'payment', payment: { status: 'paid' } });
  });

  it('is unavailable if a page fails, and ends with the signal', async () => {
    standIn.addFault({ kind: 'rate_limit', method: 'GET', path: '/v1/events' });
    await expect(changes(startOfTest)).rejects.toThrow(ProviderUnavailable);
    await expect(changes(startOfTest, AbortSignal.abort())).rejects.toThrow(ProviderUnavailable);
  });

  it('reads the object again if the event has another API version', async () => {
    const { secretKey, origin: apiBase } = standIn;
    const api = createApi({ secretKey, webhookSecret, publishableKey: 'pk_test', apiBase, timeoutMs: 60_000 });
    const { providerId } = await startPaid(adapter, { method: 'pix', expiresAt: minutesLater(600) });
    const old = { api_version: '2020-08-27', data: { object: { object: 'payment_intent', id: providerId, status: 'requires_source' } } };
    const event = await inOurVersion(api, old as unknown as Stripe.Event, never);
    expect(event.data.object).toMatchObject({ id: providerId, status: 'succeeded' });
  });
});
