import Type, { type Static } from 'typebox';
import { admin, permitted } from '../kernel/access.ts';
import { route } from '../kernel/route.ts';
import { Cents, Currency, closed, Id, named, nullable, oneOf, pageOf, pageQuery } from '../kernel/schema.ts';

const Percent = Type.Number({ minimum: 0, maximum: 100, description: 'Percent with at most four decimals', examples: [100] });
const Share = Type.Number({ minimum: 0, maximum: 100, description: 'Percent, rounded half up to four decimals', examples: [100] });

const Tax = named('Tax', {
  price: Cents,
  tax: Cents,
  taxDistribution: Share,
  feeSale: Type.Integer({ description: 'The part of the tax that the buyer pays on top of the price, in cents' }),
  feeProducer: Type.Integer({ description: 'The part of the tax that is deducted from what the producer receives, in cents' }),
  finalPrice: Type.Integer(),
  producerReceives: Type.Integer(),
  currency: Currency,
  rule: closed({ source: oneOf(['custom', 'event', 'producer', 'default']), ratePercent: Type.Number(), minimum: Type.Integer() }),
});
export type Tax = Static<typeof Tax>;

const TaxPolicy = named('TaxPolicy', { ratePercent: Percent, minimum: Cents, taxDistribution: Share });
export type TaxPolicyBody = Static<typeof TaxPolicy>;

const AppliedTaxPolicy = named('AppliedTaxPolicy', {
  ...TaxPolicy.properties,
  source: oneOf(['event', 'producer', 'default'], {
    description: 'Where the policy was set. `default`: neither event nor producer has one',
  }),
});
export type AppliedTaxPolicy = Static<typeof AppliedTaxPolicy>;

const TaxException = named('TaxException', {
  ...TaxPolicy.properties,
  producer: closed({ id: Id, name: Type.String() }),
  event: nullable(closed({ id: Id, title: Type.String() }, { description: 'Null if the policy is for all events of the producer' })),
  currency: Currency,
});
export type TaxException = Static<typeof TaxException>;

const idParams = Type.Object({ id: Id });
const examplePolicy = { ratePercent: 8.5, minimum: 250, taxDistribution: 100 };

export const taxContract = {
  getTax: route({
    method: 'GET',
    path: '/tax',
    group: 'ticket',
    summary: 'Calculate the tax of a price',
    description:
      'Send `eventId` or `producerId`. Uses the tax policy of the event, else of the producer, else 10 %. `tax` replaces the tax of the policy. A price of 0 has no tax. The response names the policy in `rule.source`, and `feeSale` + `feeProducer` is always `tax`. Returns 422 if the event does not belong to the producer.',
    access: permitted('item.read', { event: 'query.eventId', producer: 'query.producerId' }),
    query: Type.Object({
      eventId: Type.Optional(Id),
      producerId: Type.Optional(Id),
      price: Cents,
      taxDistribution: Type.Optional(Share),
      tax: Type.Optional(Cents),
    }),
    answer: { status: 200, body: Tax },
    problems: ['rule_violation'],
    examples: {
      query: { eventId: 12, price: 8000, taxDistribution: 50 },
      answer: {
        price: 8000,
        tax: 800,
        taxDistribution: 50,
        feeSale: 400,
        feeProducer: 400,
        finalPrice: 8400,
        producerReceives: 7600,
        currency: 'BRL',
        rule: { source: 'default', ratePercent: 10, minimum: 0 },
      },
    },
  }),
  getProducerTaxPolicy: route({
    method: 'GET',
    path: '/producers/{id}/tax-policy',
    group: 'ticket',
    summary: 'Get the tax policy of a producer',
    description: 'Returns the policy that applies to events of the producer that have no policy of their own.',
    access: permitted('producer.read', { producer: 'path.id' }),
    params: idParams,
    answer: { status: 200, body: AppliedTaxPolicy },
    examples: { params: { id: 1 }, answer: { ...examplePolicy, source: 'producer' } },
  }),
  getEventTaxPolicy: route({
    method: 'GET',
    path: '/event/{id}/tax-policy',
    group: 'ticket',
    summary: 'Get the tax policy of an event',
    description: 'Returns the policy that applies to the event: its own, else that of the producer, else 10 %.',
    access: permitted('item.read', { event: 'path.id' }),
    params: idParams,
    answer: { status: 200, body: AppliedTaxPolicy },
    examples: { params: { id: 12 }, answer: { ...examplePolicy, source: 'event' } },
  }),
  listTaxPolicies: route({
    method: 'GET',
    path: '/tax-policies',
    group: 'ticket',
    summary: 'List the tax policies of producers and events',
    description: 'Returns the policies that were set: those of producers first, then those of events, in the order of their ids.',
    access: admin,
    query: Type.Object({ cursor: pageQuery.cursor, pageSize: pageQuery.pageSize }),
    answer: { status: 200, body: pageOf(TaxException) },
    examples: {
      answer: {
        data: [{ ...examplePolicy, producer: { id: 1, name: 'Aurora Produções' }, event: null, currency: 'BRL' }],
        nextCursor: null,
      },
    },
  }),
  setProducerTaxPolicy: route({
    method: 'PUT',
    path: '/producers/{id}/tax-policy',
    group: 'ticket',
    summary: 'Set the tax policy of a producer',
    description:
      'Sets rate, minimum and distribution of the platform’s tax for all events of the producer that have no policy of their own. Only admins of the platform can set it.',
    access: admin,
    params: idParams,
    body: TaxPolicy,
    answer: { status: 200, body: TaxPolicy },
    examples: { params: { id: 1 }, body: examplePolicy, answer: examplePolicy },
  }),
  setEventTaxPolicy: route({
    method: 'PUT',
    path: '/event/{id}/tax-policy',
    group: 'ticket',
    summary: 'Set the tax policy of an event',
    description:
      'Sets rate, minimum and distribution for this event. It replaces the policy of the producer. Only admins of the platform can set it.',
    access: admin,
    params: idParams,
    body: TaxPolicy,
    answer: { status: 200, body: TaxPolicy },
    examples: { params: { id: 12 }, body: examplePolicy, answer: examplePolicy },
  }),
  removeProducerTaxPolicy: route({
    method: 'DELETE',
    path: '/producers/{id}/tax-policy',
    group: 'ticket',
    summary: 'Remove the tax policy of a producer',
    description:
      'The standard of 10 % applies again to events of the producer that have no policy of their own. Returns 404 if the producer has no policy. Prices that exist keep their fees. Only admins of the platform can remove it.',
    access: admin,
    params: idParams,
    answer: { status: 204 },
    examples: { params: { id: 1 } },
  }),
  removeEventTaxPolicy: route({
    method: 'DELETE',
    path: '/event/{id}/tax-policy',
    group: 'ticket',
    summary: 'Remove the tax policy of an event',
    description:
      'The policy of the producer applies again, else 10 %. Returns 404 if the event has no policy of its own. Prices that exist keep their fees. Only admins of the platform can remove it.',
    access: admin,
    params: idParams,
    answer: { status: 204 },
    examples: { params: { id: 12 } },
  }),
};
