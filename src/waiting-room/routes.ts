import { type Capability, capability } from '../http/capability.ts';
import { claimPlaces } from './claim-place.ts';
import { waitingRoomContract } from './contract.ts';
import { getQueue, getWaitingRoom } from './get-room.ts';
import { joinQueue } from './join-queue.ts';
import { deleteWaitingRoom, openWaitingRoom, updateWaitingRoom } from './update-room.ts';

export const waitingRoom: Capability = capability(waitingRoomContract, {
  getQueue: (tx, act, { params }) => getQueue(tx, act, params.id),
  joinQueue: {
    batchKey: ({ params }) => params.id,
    run: (tx, requests) =>
      joinQueue(
        tx,
        requests.map(({ act, input }) => ({ act, eventId: input.params.id })),
      ),
  },
  claimPlace: {
    batchKey: ({ params }) => params.id,
    lowContention: true,
    run: (tx, requests) =>
      claimPlaces(
        tx,
        requests.map(({ act, input }) => ({ act, eventId: input.params.id, ticket: input.body.ticket })),
      ),
  },
  getWaitingRoom: (tx, act, { params }) => getWaitingRoom(tx, act, params.id),
  updateWaitingRoom: (tx, act, { params, body }) => updateWaitingRoom(tx, act, params.id, body),
  openWaitingRoom: (tx, act, { params }) => openWaitingRoom(tx, act, params.id),
  deleteWaitingRoom: (tx, act, { params }) => deleteWaitingRoom(tx, act, params.id),
});
