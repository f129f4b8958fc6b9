import Type, { type Static } from 'typebox';
import { anyone, permitted } from '../kernel/access.ts';
import { route } from '../kernel/route.ts';
import { idParams } from './event-schemas.ts';

const attributeValue = { type: ['string', 'number', 'boolean'], maxLength: 5000 };

const Attributes = Type.Unsafe<Record<string, string | number | boolean>>({ type: 'object', additionalProperties: attributeValue });
export type EventAttributes = Static<typeof Attributes>;

const AttributeChanges = Type.Unsafe<Record<string, string | number | boolean | null>>({
  type: 'object',
  minProperties: 1,
  maxProperties: 100,
  propertyNames: { pattern: '^[A-Za-z][\\w.-]{0,99}$' },
  additionalProperties: { ...attributeValue, type: [...attributeValue.type, 'null'] },
});
export type EventAttributeChanges = Static<typeof AttributeChanges>;

const exampleAttributes = { minimumAge: 18, parking: true };

export const attributeContract = {
  getAttributes: route({
    method: 'GET',
    path: '/event/{id}/attributes',
    group: 'event',
    summary: 'Get the attributes of an event',
    description: 'Attributes are values that the producer defines, e.g. a minimum age.',
    access: anyone,
    params: idParams,
    query: Type.Object({
      filters: Type.Optional(Type.String({ maxLength: 2000, description: 'Comma-separated list of keys; all attributes by default' })),
    }),
    answer: { status: 200, body: Attributes },
    cached: { tag: 'path.id' },
    examples: { params: { id: 12 }, query: { filters: 'minimumAge,parking' }, answer: exampleAttributes },
  }),
  updateAttributes: route({
    method: 'PUT',
    path: '/event/{id}/attributes',
    group: 'event',
    summary: 'Set attributes of an event',
    description:
      'Sets the attributes in the body. `null` removes an attribute. Attributes that are not in the body stay unchanged. Returns all attributes. An event can have at most 200 attributes.',
    access: permitted('event.manage', { event: 'path.id' }),
    params: idParams,
    body: AttributeChanges,
    answer: { status: 200, body: Attributes },
    problems: ['rule_violation'],
    examples: { params: { id: 12 }, body: { minimumAge: 18, camping: null }, answer: exampleAttributes },
  }),
};
