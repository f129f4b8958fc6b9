import { requireReadableEvent } from '../events/require-readable-event.ts';
import type { Act } from '../kernel/act.ts';
import { Problem } from '../kernel/problem.ts';
import type { Tx } from '../postgres/database.ts';
import type { Queue, WaitingRoom } from './contract.ts';
import { describeQueue, describeRoom } from './describe-room.ts';
import { selectRooms, selectTimezone } from './rooms.sql.ts';

export async function getWaitingRoom(tx: Tx, act: Act, eventId: number): Promise<WaitingRoom> {
  const room = (await selectRooms(tx, [eventId], act.at)).get(eventId);
  return describeRoom(room, await selectTimezone(tx, eventId), act.at);
}

/** Returns null if the event has no waiting room, or if it is turned off. */
export async function findQueue(tx: Tx, eventId: number, at: Date): Promise<Queue | null> {
  const room = (await selectRooms(tx, [eventId], at)).get(eventId);
  return room?.enabled ? describeQueue(room, at) : null;
}

export async function getQueue(tx: Tx, act: Act, eventId: number): Promise<Queue> {
  await requireReadableEvent(tx, act.actor, eventId);
  const queue = await findQueue(tx, eventId, act.at);
  if (!queue) throw new Problem('not_found', 'This event has no waiting room.');
  return queue;
}
