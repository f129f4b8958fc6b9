import type { Act, Actor } from '../kernel/act.ts';
import { ruleViolation } from '../kernel/problem.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import type { EventAttributeChanges, EventAttributes } from './attribute-contract.ts';
import { deleteEventAttributes, selectEventAttributes, upsertEventAttribute } from './events.sql.ts';
import { lockEvent } from './lock-event.ts';
import { requireReadableEvent } from './require-readable-event.ts';

/** All attributes are returned in one response, so their number is limited. */
const maxAttributes = 200;

/** `filters` is a comma-separated list of keys. */
export async function getAttributes(tx: Tx, actor: Actor, eventId: number, filters: string | undefined): Promise<EventAttributes> {
  await requireReadableEvent(tx, actor, eventId);
  const all = await readAttributes(tx, eventId);
  if (filters === undefined) return all;
  const keys = new Set(filters.split(',').map((key) => key.trim()));
  return Object.fromEntries(Object.entries(all).filter(([key]) => keys.has(key)));
}

export async function updateAttributes(tx: Tx, act: Act, eventId: number, changes: EventAttributeChanges): Promise<EventAttributes> {
  const { producer_id: producerId } = await lockEvent(tx, eventId);
  const before = await readAttributes(tx, eventId);
  const removed = Object.keys(changes).filter((key) => changes[key] === null);
  if (removed.length > 0) await deleteEventAttributes(tx, eventId, removed);
  for (const [key, value] of Object.entries(changes)) {
    if (value !== null) await upsertEventAttribute(tx, eventId, key, value);
  }
  const after = await readAttributes(tx, eventId);
  if (Object.keys(after).length > maxAttributes) {
    throw ruleViolation('', 'limit', `An event can have at most ${maxAttributes} attributes. Remove some first.`);
  }
  await record(tx, act, { subject: 'event_attributes', id: eventId, producerId, eventId, before, after });
  return after;
}

async function readAttributes(tx: Tx, eventId: number): Promise<EventAttributes> {
  const rows = await selectEventAttributes(tx, eventId);
  return Object.fromEntries(rows.map(({ key, value }) => [key, value as unknown as string | number | boolean]));
}
