import { randomBytes } from 'node:crypto';
import { lockEvent } from '../events/lock-event.ts';
import type { Act } from '../kernel/act.ts';
import { Problem, ruleViolation } from '../kernel/problem.ts';
import { readMoment } from '../kernel/wall-clock.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { executeAll } from '../postgres/pipeline.ts';
import type { WaitingRoom, WaitingRoomChanges } from './contract.ts';
import { defaultMinutes, defaultOrdersPerPlace, describeRoom } from './describe-room.ts';
import { exactWatermark, isOpen, type Rate, type Room } from './room.ts';
import { closeDraw, deleteRates, insertRate, insertRoom, selectRoomsForUpdate, updateRoom } from './rooms.sql.ts';

/** The rate with which `auto` begins. The service then changes it every few seconds. */
const firstAutoRate = 300;

/** Turns the waiting room on, or changes the fields that are present. */
export async function updateWaitingRoom(tx: Tx, act: Act, eventId: number, changes: WaitingRoomChanges): Promise<WaitingRoom> {
  const { timezone } = await lockEvent(tx, eventId);
  const before = await lockRoom(tx, eventId, act.at);
  const opensAt = changes.opensAt === undefined ? undefined : readOpening(changes.opensAt, timezone);
  if (before?.enabled) await changeRoom(tx, act.at, before, changes, opensAt);
  else await createRoom(tx, act.at, eventId, before, changes, opensAt);
  return recordRoom(tx, act, eventId, before, timezone);
}

/** Moves the opening to now. */
export async function openWaitingRoom(tx: Tx, act: Act, eventId: number): Promise<WaitingRoom> {
  const { timezone } = await lockEvent(tx, eventId);
  const room = await lockRoom(tx, eventId, act.at);
  if (!room?.enabled) throw new Problem('wrong_state', 'The waiting room is off. Turn it on first.');
  if (isOpen(room, act.at)) throw new Problem('wrong_state', 'The waiting room is open already.');
  await changeRoom(tx, act.at, room, {}, act.at);
  await executeAll(tx, [closeDraw(eventId, act.at)]);
  return recordRoom(tx, act, eventId, room, timezone);
}

export async function deleteWaitingRoom(tx: Tx, act: Act, eventId: number): Promise<void> {
  const { timezone } = await lockEvent(tx, eventId);
  const room = await lockRoom(tx, eventId, act.at);
  if (!room?.enabled) throw new Problem('wrong_state', 'The waiting room is off.');
  await updateRoom(tx, eventId, { enabled: false });
  await record(tx, act, { subject: 'waiting_room', id: eventId, eventId, before: settingsOf(describeRoom(room, timezone, act.at)) });
}

const lockRoom = async (tx: Tx, eventId: number, at: Date): Promise<Room | undefined> =>
  (await selectRoomsForUpdate(tx, [eventId], at)).get(eventId);

/** Reads the room after a change, and writes both versions to the audit log. */
async function recordRoom(tx: Tx, act: Act, eventId: number, before: Room | undefined, timezone: string): Promise<WaitingRoom> {
  const after = describeRoom(await lockRoom(tx, eventId, act.at), timezone, act.at);
  await record(tx, act, {
    subject: 'waiting_room',
    id: eventId,
    eventId,
    before: settingsOf(describeRoom(before, timezone, act.at)),
    after: settingsOf(after),
  });
  return after;
}

/** The audit log records settings, and not how many visitors wait. */
const settingsOf = ({ state, opensAt, admitPerMinute, minutes, ordersPerPlace }: WaitingRoom) => ({
  state,
  opensAt,
  admitPerMinute,
  minutes,
  ordersPerPlace,
});

function readOpening(text: string, timezone: string): Date {
  const opensAt = readMoment(text, timezone);
  if (!opensAt) throw ruleViolation('opensAt', 'invalid', 'opensAt does not exist in the time zone of the event.');
  return opensAt;
}

const rateOf = (admitPerMinute: WaitingRoomChanges['admitPerMinute'], current: number): number =>
  typeof admitPerMinute === 'number' ? admitPerMinute : current;

async function createRoom(
  tx: Tx,
  at: Date,
  eventId: number,
  earlier: Room | undefined,
  { admitPerMinute = 'auto', minutes = defaultMinutes, ordersPerPlace = defaultOrdersPerPlace, paused = false }: WaitingRoomChanges,
  opensAt: Date | undefined,
): Promise<void> {
  if (!opensAt) throw ruleViolation('opensAt', 'required', 'Send opensAt to turn the waiting room on.');
  const lastNumber = earlier?.lastNumber ?? 0;
  const opening = opensAt < at ? at : opensAt;
  const perMinute = rateOf(admitPerMinute, firstAutoRate);
  const room = {
    enabled: true,
    opens_at: opening,
    auto: admitPerMinute === 'auto',
    per_minute: perMinute,
    paused,
    minutes,
    orders_per_place: ordersPerPlace,
    seed: randomBytes(32),
    first_number: lastNumber + 1,
    last_number: lastNumber,
    skipped: 0,
    drawn_to: null,
    adjusted_at: null,
  };
  if (earlier) await updateRoom(tx, eventId, room);
  else await insertRoom(tx, { event_id: eventId, ...room });
  await replaceRates(tx, eventId, { since: opening, fromPlace: lastNumber, perMinute: paused ? 0 : perMinute });
}

async function replaceRates(tx: Tx, eventId: number, rate: Rate): Promise<void> {
  await executeAll(tx, [deleteRates(eventId), insertRate(eventId, rate)]);
}

/** Before the opening there is one rate, which begins at the opening. Later each change adds a rate. */
async function changeRoom(tx: Tx, at: Date, room: Room, changes: WaitingRoomChanges, opensAt = room.opensAt): Promise<void> {
  const { eventId } = room;
  const wasOpen = isOpen(room, at);
  if (wasOpen && opensAt.getTime() !== room.opensAt.getTime())
    throw ruleViolation('opensAt', 'opened', 'The waiting room is open already. Turn it off to start again.');
  const { admitPerMinute = room.auto ? 'auto' : room.perMinute, paused = room.paused } = changes;
  const opening = !wasOpen && opensAt < at ? at : opensAt;
  const perMinute = rateOf(admitPerMinute, room.perMinute);
  await updateRoom(tx, eventId, {
    opens_at: opening,
    auto: admitPerMinute === 'auto',
    per_minute: perMinute,
    paused,
    minutes: changes.minutes ?? room.minutes,
    orders_per_place: changes.ordersPerPlace ?? room.ordersPerPlace,
  });
  const effective = paused ? 0 : perMinute;
  if (!wasOpen) return replaceRates(tx, eventId, { since: opening, fromPlace: room.firstNumber - 1, perMinute: effective });
  await executeAll(tx, [insertRate(eventId, { since: at, fromPlace: exactWatermark(room, at), perMinute: effective })]);
}
