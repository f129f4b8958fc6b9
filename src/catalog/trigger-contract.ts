import Type, { type Static } from 'typebox';
import { route } from '../kernel/route.ts';
import { closed, Id, Instant, named, nullable, oneOf, pageOf } from '../kernel/schema.ts';
import { idParams, manageItem, readItem } from './item-schemas.ts';

const Trigger = named('ItemTrigger', {
  id: Id,
  on: oneOf(['soldout', 'start', 'finish']),
  action: oneOf(['open', 'close']),
  targetItemId: Id,
  firedAt: nullable(Instant),
});
export type Trigger = Static<typeof Trigger>;

const NewTrigger = closed({ on: Trigger.properties.on, action: Trigger.properties.action, targetItemId: Id });
export type NewTrigger = Static<typeof NewTrigger>;

const exampleTrigger = { on: 'soldout', action: 'open', targetItemId: 43 };

export const triggerContract = {
  listTriggers: route({
    method: 'GET',
    path: '/items/{id}/triggers',
    group: 'ticket',
    summary: 'List the triggers of an item',
    description: 'Returns all triggers of the item. `firedAt` is null for triggers that have not fired.',
    access: readItem,
    params: idParams,
    answer: { status: 200, body: pageOf(Trigger) },
    examples: { params: { id: 42 }, answer: { data: [{ id: 5, ...exampleTrigger, firedAt: null }], nextCursor: null } },
  }),
  replaceTriggers: route({
    method: 'PUT',
    path: '/items/{id}/triggers',
    group: 'ticket',
    summary: 'Replace the triggers of an item',
    description:
      'A trigger opens or closes the sale of the target item when this item sells out, or when its sale period in the web shop starts or finishes. Each trigger fires once. If you send a trigger again that has already fired, it does not fire again. Returns 422 if the triggers of the event would form a cycle.',
    access: manageItem,
    params: idParams,
    body: closed({ triggers: Type.Array(NewTrigger, { maxItems: 50, uniqueItems: true }) }),
    answer: { status: 200, body: pageOf(Trigger) },
    problems: ['rule_violation'],
    examples: {
      params: { id: 42 },
      body: { triggers: [exampleTrigger] },
      answer: { data: [{ id: 5, ...exampleTrigger, firedAt: null }], nextCursor: null },
    },
  }),
};
