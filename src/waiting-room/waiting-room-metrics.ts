import type { GaugeSource } from '../http/metrics.ts';
import type { Database } from '../postgres/database.ts';
import { type RoomNumbers, selectNumbers } from './reports.sql.ts';

const reachedOf = ({ last, reached }: RoomNumbers): number => Math.min(last, reached);

export function waitingRoomMetrics(db: Database, clock: () => Date): GaugeSource[] {
  const gauge = (name: string, help: string, valueOf: (room: RoomNumbers) => number): GaugeSource => ({
    name,
    help,
    label: 'event',
    read: async () => (await selectNumbers(db, clock())).map((room) => [String(room.eventId), valueOf(room)] as const),
  });
  return [
    gauge('tessera_waiting_room_waiting', 'Visitors that wait, by event', (room) => room.last - reachedOf(room)),
    gauge('tessera_waiting_room_admitted', 'Visitors that were admitted, by event', (room) =>
      Math.max(0, reachedOf(room) - room.first + 1 - room.skipped),
    ),
    gauge('tessera_waiting_room_per_minute', 'Visitors that are admitted per minute, by event', ({ perMinute }) => perMinute),
  ];
}
