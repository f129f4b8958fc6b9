import { createEvent } from '../events/create-event.ts';
import { cancelEvent, publishEvent, unpublishEvent } from '../events/event-status.ts';
import { createSession, deleteSession } from '../events/sessions.ts';
import { type Capability, capability } from '../http/capability.ts';
import type { Act } from '../kernel/act.ts';
import type { Tx } from '../postgres/database.ts';
import { changeEvent, changeSession } from './change-event.ts';
import { type Event, storefrontContract } from './contract.ts';
import { describeEvent, describeSession, getEvent, identify } from './event.ts';
import { listEvents, searchEvents } from './search-events.ts';
import { getTickets } from './tickets.ts';

export const storefront: Capability = capability(storefrontContract, {
  findEvent: (tx, act, { query }) =>
    query.method === 'identify' ? identify(tx, act, query.link, query.fields) : searchEvents(tx, act, query, query.category),
  getEvent: (tx, act, { params, query }) => getEvent(tx, act, params.id, query.fields),
  getEventTickets: (tx, act, { params, query }) => getTickets(tx, act, params.id, undefined, query),
  getSessionTickets: (tx, act, { params, query }) => getTickets(tx, act, params.id, params.sessionId, query),
  listEvents: (tx, act, { query }) => listEvents(tx, act, query),
  createEvent: async (tx, act, { body }) => describeEvent(tx, act, await createEvent(tx, act, body)),
  updateEvent: (tx, act, { params, body }) => changeEvent(tx, act, params.id, body),
  publishEvent: (tx, act, { params, body }) => written(tx, act, params.id, publishEvent(tx, act, params.id, body.private === true)),
  unpublishEvent: (tx, act, { params }) => written(tx, act, params.id, unpublishEvent(tx, act, params.id)),
  cancelEvent: (tx, act, { params, body: { reason = null, refund = false } }) =>
    written(tx, act, params.id, cancelEvent(tx, act, params.id, { reason, refund })),
  createSession: async (tx, act, { params, body }) => describeSession(tx, act, params.id, await createSession(tx, act, params.id, body)),
  updateSession: (tx, act, { params, body }) => changeSession(tx, act, params.id, params.sessionId, body),
  deleteSession: (tx, act, { params }) => deleteSession(tx, act, params.id, params.sessionId),
  listCategoryEvents: (tx, act, { params, query }) => searchEvents(tx, act, query, params.category),
});

/** What was written is answered as everyone reads it. */
async function written(tx: Tx, act: Act, id: number, writing: Promise<void>): Promise<Event> {
  await writing;
  return describeEvent(tx, act, id);
}
