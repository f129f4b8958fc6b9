import { describe, expect, it } from 'vitest';
import { useWorld } from '../../test/harness.ts';

const world = useWorld();
const ask = (query: string, as: 'owner' | 'admin' | 'crew_sales_operator' = 'owner') => world.call('GET', `/tax?${query}`, { as });

describe('GET /tax', () => {
  it('returns 10 % with rule.source default if there is no policy', async () => {
    expect((await ask(`eventId=${world.event}&price=8000`)).json()).toEqual({
      price: 8000,
      tax: 800,
      taxDistribution: 100,
      feeSale: 800,
      feeProducer: 0,
      finalPrice: 8800,
      producerReceives: 8000,
      currency: 'BRL',
      rule: { source: 'default', ratePercent: 10, minimum: 0 },
    });
  });

  it('uses taxDistribution and tax of the query, for a producer and for an event', async () => {
    expect((await ask(`producerId=${world.producer}&price=999&taxDistribution=33.3333&tax=100`)).json()).toMatchObject({
      tax: 100,
      feeSale: 33,
      feeProducer: 67,
      rule: { source: 'custom' },
    });
    expect((await ask(`producerId=${world.producer}&eventId=${world.event}&price=0`)).json()).toMatchObject({ tax: 0, finalPrice: 0 });
    expect((await ask(`eventId=${world.event}&price=1000000000000`)).json()).toMatchObject({ tax: 100_000_000_000 });
  });

  it('uses the policy of the event, and the policy of the producer only if the event has none', async () => {
    const set = (path: string, body: object) => world.call('PUT', `${path}/tax-policy`, { as: 'admin', body });
    const policy = async (path: string) => (await world.call('GET', `${path}/tax-policy`, { as: 'owner' })).json();
    expect(await policy(`/producers/${world.producer}`)).toMatchObject({ ratePercent: 10, source: 'default' });
    const source = async () => (await ask(`eventId=${world.siblingEvent}&price=1000`)).json();
    expect((await set(`/producers/${world.producer}`, { ratePercent: 5, minimum: 200, taxDistribution: 50 })).statusCode).toBe(200);
    expect(await source()).toMatchObject({
      tax: 200,
      feeSale: 100,
      feeProducer: 100,
      rule: { source: 'producer', ratePercent: 5, minimum: 200 },
    });
    expect((await set(`/event/${world.siblingEvent}`, { ratePercent: 12.3456, minimum: 0, taxDistribution: 0 })).statusCode).toBe(200);
    expect(await source()).toMatchObject({
      tax: 123,
      feeSale: 0,
      feeProducer: 123,
      producerReceives: 877,
      rule: { source: 'event', ratePercent: 12.3456 },
    });
    expect(await policy(`/event/${world.siblingEvent}`)).toEqual({ ratePercent: 12.3456, minimum: 0, taxDistribution: 0, source: 'event' });
    expect(await policy(`/event/${world.event}`)).toEqual({ ratePercent: 5, minimum: 200, taxDistribution: 50, source: 'producer' });
  });

  it('returns no tax for price 0, even when tax is given', async () => {
    expect((await ask(`eventId=${world.event}&price=0&tax=500`)).json()).toMatchObject({
      price: 0,
      tax: 0,
      feeSale: 0,
      feeProducer: 0,
      finalPrice: 0,
      producerReceives: 0,
    });
  });

  it('rounds taxDistribution half up to four decimals, in queries and in policies', async () => {
    const shared = async (share: string) => (await ask(`eventId=${world.event}&price=1000000&tax=100000&taxDistribution=${share}`)).json();
    expect(await shared('33.333333333333333333')).toMatchObject({ taxDistribution: 33.3333, feeSale: 33_333, feeProducer: 66_667 });
    expect(await shared('1.00005')).toMatchObject({ taxDistribution: 1.0001 });
    expect(await shared('0.00000001')).toMatchObject({ taxDistribution: 0, feeSale: 0 });
    expect(await shared('99.99999')).toMatchObject({ taxDistribution: 100, feeProducer: 0 });
    const body = { ratePercent: 10, minimum: 0, taxDistribution: 66.666666 };
    const policy = await world.call('PUT', `/event/${world.event}/tax-policy`, { as: 'admin', body });
    expect([policy.statusCode, policy.json()]).toEqual([200, { ...body, taxDistribution: 66.6667 }]);
    expect((await ask(`eventId=${world.event}&price=1000`)).json()).toMatchObject({ taxDistribution: 66.6667, rule: { source: 'event' } });
  });

  it('returns 400 without eventId and producerId, without a price, and for a ratePercent with five decimals', async () => {
    const neither = await ask('price=100');
    expect(neither.statusCode).toBe(400);
    expect(neither.json<{ errors: { field: string }[] }>().errors.map(({ field }) => field)).toEqual(['eventId', 'producerId']);
    const own = `eventId=${world.event}`;
    for (const query of [own, `${own}&price=-1`, `${own}&price=1.5`, `${own}&price=x`, `${own}&price=1&taxDistribution=101`]) {
      expect((await ask(query)).statusCode).toBe(400);
    }
    expect(
      (
        await world.call('PUT', `/event/${world.event}/tax-policy`, {
          as: 'admin',
          body: { ratePercent: 1.23456, minimum: 0, taxDistribution: 0 },
        })
      ).statusCode,
    ).toBe(400);
  });

  it('returns 404 for events and producers in which the caller has no role', async () => {
    expect((await ask(`eventId=${world.foreignEvent}&price=1`)).statusCode).toBe(404);
    expect((await ask(`producerId=${world.otherProducer}&price=1`)).statusCode).toBe(404);
    expect((await ask(`eventId=${world.event}&producerId=${world.otherProducer}&price=1`)).statusCode).toBe(404);
    expect((await ask(`eventId=${world.event}&price=1`, 'crew_sales_operator')).statusCode).toBe(200);
    expect((await ask(`producerId=${world.producer}&price=1`, 'crew_sales_operator')).statusCode).toBe(404);
  });

  it('a removed policy no longer applies, and removing it again returns 404', async () => {
    const body = { ratePercent: 5, minimum: 0, taxDistribution: 100 };
    const sourceOf = async () => (await ask(`eventId=${world.event}&price=1000`)).json<{ rule: { source: string } }>().rule.source;
    for (const path of [`/producers/${world.producer}/tax-policy`, `/event/${world.event}/tax-policy`])
      await world.call('PUT', path, { as: 'admin', body });
    const remove = async (path: string) => (await world.call('DELETE', path, { as: 'admin' })).statusCode;
    expect([await remove(`/event/${world.event}/tax-policy`), await sourceOf()]).toEqual([204, 'producer']);
    expect([await remove(`/producers/${world.producer}/tax-policy`), await sourceOf()]).toEqual([204, 'default']);
    expect([await remove(`/event/${world.event}/tax-policy`), await remove(`/producers/${world.producer}/tax-policy`)]).toEqual([404, 404]);
  });

  it('returns 404 when the policy of an unknown event or producer is set', async () => {
    const body = { ratePercent: 1, minimum: 0, taxDistribution: 0 };
    expect((await world.call('PUT', `/event/${world.missing}/tax-policy`, { as: 'admin', body })).statusCode).toBe(404);
    expect((await world.call('PUT', `/producers/${world.missing}/tax-policy`, { as: 'admin', body })).statusCode).toBe(404);
  });

  it('returns 422 if the event does not belong to the producer', async () => {
    const answer = await ask(`eventId=${world.event}&producerId=${world.otherProducer}&price=1`, 'admin');
    expect([answer.statusCode, answer.json().errors[0].code]).toEqual([422, 'unrelated']);
  });
});
