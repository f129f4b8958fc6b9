import { toWallClock } from '../kernel/wall-clock.ts';
import type { Queue, WaitingRoom } from './contract.ts';
import { commitmentOf } from './draw.ts';
import { countVisitors, currentRate, isOpen, type Room } from './room.ts';

export const defaultMinutes = 10;
export const defaultOrdersPerPlace = 2;

function stateOf(room: Room, at: Date): 'before' | 'open' | 'paused' {
  if (!isOpen(room, at)) return 'before';
  return room.paused ? 'paused' : 'open';
}

const turnedOff: WaitingRoom = {
  state: 'off',
  opensAt: null,
  admitPerMinute: 'auto',
  perMinute: 0,
  minutes: defaultMinutes,
  ordersPerPlace: defaultOrdersPerPlace,
  waiting: 0,
  admitted: 0,
  commitment: null,
};

/** The room as the crew sees it. */
export function describeRoom(room: Room | undefined, timezone: string, at: Date): WaitingRoom {
  if (!room?.enabled) return turnedOff;
  return {
    state: stateOf(room, at),
    opensAt: toWallClock(room.opensAt, timezone),
    admitPerMinute: room.auto ? 'auto' : room.perMinute,
    perMinute: room.paused ? 0 : room.perMinute,
    minutes: room.minutes,
    ordersPerPlace: room.ordersPerPlace,
    ...countVisitors(room, at),
    commitment: commitmentOf(room.seed),
  };
}

/** The room as everybody sees it. It does not change while people join, so that it can be cached and compared. */
export function describeQueue(room: Room, at: Date): Queue {
  const { eventId, opensAt, minutes, seed, firstNumber, drawnTo } = room;
  const { since, fromPlace, perMinute } = currentRate(room);
  return {
    eventId,
    state: stateOf(room, at),
    opensAt: opensAt.toISOString(),
    minutes,
    watermark: { place: fromPlace, at: since.toISOString(), perMinute },
    nextChange: isOpen(room, at) ? null : opensAt.toISOString(),
    draw: {
      commitment: commitmentOf(seed),
      seed: drawnTo === null ? null : seed.toString('hex'),
      first: firstNumber,
      last: drawnTo,
    },
  };
}
