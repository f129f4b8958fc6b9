import { type Capability, capability } from '../http/capability.ts';
import { makeCheckins } from './check-in.ts';
import { doorContract } from './contract.ts';
import { listCheckins } from './list-checkins.ts';
import { getManifest } from './manifest.ts';
import { undoCheckins } from './undo-checkins.ts';

export const door: Capability = capability(doorContract, {
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
