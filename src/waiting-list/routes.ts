import { type Capability, capability } from '../http/capability.ts';
import { confirmWaitingListEntry, getWaitingListEntry, leaveWaitingList, removeWaitingListEntry } from './change-entry.ts';
import { waitingListContract } from './contract.ts';
import { joinWaitingList } from './join-waiting-list.ts';
import { getWaitingListSummary, listWaitingList } from './list-entries.ts';
import { openWaitingListOffer } from './open-offer.ts';

export const waitingList: Capability = capability(waitingListContract, {
  joinWaitingList: (tx, act, { params, body }) => joinWaitingList(tx, act, params.id, body),
  getWaitingListEntry: (tx, act, { params, query }) => getWaitingListEntry(tx, act, params.id, query.token),
  confirmWaitingListEntry: (tx, act, { params, body }) => confirmWaitingListEntry(tx, act, params.id, body.token),
  leaveWaitingList: (tx, act, { params, body }) => leaveWaitingList(tx, act, params.id, body.token),
  openWaitingListOffer: (tx, act, { params, body }) => openWaitingListOffer(tx, act, params.id, body.token),
  listWaitingList: (tx, act, { params, query }) => listWaitingList(tx, act, params.id, query),
  getWaitingListSummary: (tx, act, { params }) => getWaitingListSummary(tx, act, params.id),
  removeWaitingListEntry: (tx, act, { params }) => removeWaitingListEntry(tx, act, { eventId: params.id, id: params.entryId }),
});
