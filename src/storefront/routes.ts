import { type Capability, capability } from '../http/capability.ts';
import { storefrontContract } from './contract.ts';
import { getEvent, identify } from './event.ts';
import { getProducerProfile, listProducerEvents } from './producer.ts';
import { listEvents, searchEvents } from './search-events.ts';
import { getEventTickets } from './tickets.ts';

export const storefront: Capability = capability(storefrontContract, {
  findEvent: (tx, act, { query }) =>
    query.method === 'identify' ? identify(tx, act, query.link, query.fields) : searchEvents(tx, act, query, query.category),
  getEvent: (tx, act, { params, query }) => getEvent(tx, act, params.id, query.fields),
  getEventTickets: (tx, act, { params, query }) => getEventTickets(tx, act, { eventId: params.id }, query),
  getSessionTickets: (tx, act, { params, query }) => getEventTickets(tx, act, { eventId: params.id, sessionId: params.sessionId }, query),
  getProducerProfile: (tx, _act, { params }) => getProducerProfile(tx, params.id),
  listProducerEvents: (tx, { at }, { params, query }) => listProducerEvents(tx, at, params.id, query),
  listEvents: (tx, act, { query }) => listEvents(tx, act, query),
  listCategoryEvents: (tx, act, { params, query }) => searchEvents(tx, act, query, params.category),
});
