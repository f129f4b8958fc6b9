import type { Act } from '../kernel/act.ts';
import { Problem, ruleViolation } from '../kernel/problem.ts';
import type { Tx } from '../postgres/database.ts';
import { executeAll } from '../postgres/pipeline.ts';
import type { QueuePlace } from './contract.ts';
import { placeOf } from './draw.ts';
import { decideTurn, isOpen, type Room } from './room.ts';
import { closeDraw, selectRooms } from './rooms.sql.ts';
import { readNumber, signAdmission } from './signed-tokens.ts';

interface ClaimRequest {
  act: Act;
  eventId: number;
  ticket: string;
}

/** Returns the places of a batch of numbers, and admissions for those whose turn has come. The rooms are read once per batch. */
export async function claimPlaces(tx: Tx, requests: readonly ClaimRequest[]): Promise<(QueuePlace | Problem)[]> {
  const at = new Date(Math.max(...requests.map(({ act }) => act.at.getTime())));
  const rooms = await openRooms(
    tx,
    requests.map(({ eventId }) => eventId),
    at,
  );
  return Promise.all(
    requests.map(async ({ eventId, ticket }) => {
      const room = rooms.get(eventId);
      if (!room?.enabled) return new Problem('not_found', 'This event has no waiting room.');
      const number = readNumber(tx.secrets, ticket);
      if (number?.eventId !== eventId) return invalidTicket();
      if (number.number < room.firstNumber) return invalidTicket();
      return describePlace(tx, room, number.number, at);
    }),
  );
}

const invalidTicket = (): Problem =>
  ruleViolation('ticket', 'invalid', 'This is not a number of the waiting room that is open now. Take a new number.');

async function describePlace(tx: Tx, room: Room, number: number, now: Date): Promise<QueuePlace> {
  const { eventId } = room;
  const place = await placeOf(room, number);
  const { state, at, validTo } = decideTurn(room, place, now);
  return {
    state,
    number,
    place,
    turnAt: at?.toISOString() ?? null,
    admission: validTo && signAdmission(tx.secrets, { eventId, number, expiresAt: validTo }),
    expiresAt: validTo?.toISOString() ?? null,
  };
}

/** Reads the rooms. If a room is due and nobody has drawn the places yet, this request does. */
async function openRooms(tx: Tx, eventIds: readonly number[], at: Date): Promise<Map<number, Room>> {
  const rooms = await selectRooms(tx, eventIds, at);
  const due = [...rooms.values()].filter((room) => room.enabled && room.drawnTo === null && isOpen(room, at));
  if (due.length === 0) return rooms;
  await executeAll(
    tx,
    due.map(({ eventId }) => closeDraw(eventId, at)),
  );
  return selectRooms(tx, eventIds, at);
}
