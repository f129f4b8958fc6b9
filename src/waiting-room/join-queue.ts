import type { Act } from '../kernel/act.ts';
import { Problem } from '../kernel/problem.ts';
import type { Tx } from '../postgres/database.ts';
import { executeAll } from '../postgres/pipeline.ts';
import type { QueueNumber } from './contract.ts';
import { isOpen, nextNumbers } from './room.ts';
import { handOut, selectRoomsForUpdate } from './rooms.sql.ts';
import { signNumber } from './signed-tokens.ts';

interface JoinRequest {
  act: Act;
  eventId: number;
}

/**
 * Hands out numbers to a batch of visitors, in the order of arrival. A batch costs one lock and one write, however many visitors it has. The
 * lock also decides which numbers take part in the draw: those that were handed out before the first batch after the opening.
 */
export async function joinQueue(tx: Tx, requests: readonly JoinRequest[]): Promise<(QueueNumber | Problem)[]> {
  const at = new Date(Math.max(...requests.map(({ act }) => act.at.getTime())));
  const rooms = await selectRoomsForUpdate(
    tx,
    requests.map(({ eventId }) => eventId),
    at,
  );
  const handed = [...rooms.values()].flatMap((room) => {
    const count = requests.filter(({ eventId }) => eventId === room.eventId).length;
    return room.enabled ? [{ eventId: room.eventId, next: 0, isDrawn: !isOpen(room, at), ...nextNumbers(room, count, at) }] : [];
  });
  if (handed.length > 0) await executeAll(tx, [handOut(handed, at)]);
  const byEvent = new Map(handed.map((each) => [each.eventId, each]));
  return requests.map(({ eventId }) => {
    const room = byEvent.get(eventId);
    if (!room) return new Problem('not_found', 'This event has no waiting room.');
    const number = room.first + room.next++;
    return { ticket: signNumber(tx.secrets, { eventId, number }), number, place: room.isDrawn ? null : number };
  });
}
