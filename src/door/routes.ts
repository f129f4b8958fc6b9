import { type Capability, capability } from '../http/capability.ts';
import { makeCheckins } from './check-in.ts';
import { doorContract } from './contract.ts';
import { getCounters } from './counters.ts';
import { createDevice, listDevices, revokeDevice } from './devices.ts';
import { getDoor } from './get-door.ts';
import { listCheckins } from './list-checkins.ts';
import { getManifest } from './manifest.ts';
import { searchGuests } from './search-guests.ts';
import { undoCheckins } from './undo-checkins.ts';

interface DoorOptions {
  /** The public address of the service, where the door app is. */
  shopUrl: string;
}

export const door = ({ shopUrl }: DoorOptions): Capability =>
  capability(doorContract, {
    createDevice: (tx, act, { params, body }) => createDevice(tx, act, params.eventId, body, shopUrl),
    listDevices: (tx, _act, { params, query }) => listDevices(tx, params.eventId, query),
    revokeDevice: (tx, act, { params }) => revokeDevice(tx, act, params.eventId, params.deviceId),
    getDoor: (tx, act, { params }) => getDoor(tx, act, params.eventId),
    searchGuests: (tx, act, { params, query }) => searchGuests(tx, act, params.eventId, query),
    getCounters: (tx, act, { params, query }) => getCounters(tx, act.at, params.eventId, query.sessionId ?? null),
    makeCheckins: {
      batchKey: ({ params }) => params.eventId,
      size: ({ body }) => Math.ceil(body.entries.length / 25),
      lowContention: true,
      raceConstraints: ['checkin_once', 'admission_once', 'returning_guest_once'],
      run: (tx, requests, isRetry) =>
        makeCheckins(
          tx,
          requests.map(({ act, input }) => ({ act, eventId: input.params.eventId, entries: input.body.entries })),
          isRetry,
        ),
    },
    undoCheckins: (tx, act, { params, body }) => undoCheckins(tx, act, params.eventId, body.entries),
    listCheckins: (tx, _act, { params, query }) => listCheckins(tx, params.eventId, query),
    getManifest: (tx, act, { params, query }) => getManifest(tx, act.at, params.eventId, query),
  });
