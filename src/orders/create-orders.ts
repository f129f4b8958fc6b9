import { webShop } from '../catalog/item.ts';
import { lockedStock } from '../catalog/stock.ts';
import { Problem } from '../kernel/problem.ts';
import { type OpenedPasskey, usePasskeys } from '../passkeys/open-passkey.ts';
import type { Tx } from '../postgres/database.ts';
import { runPipeline, type Step, sendWithCommit, withoutTableScans } from '../postgres/pipeline.ts';
import { readGates } from '../waiting-room/gates.ts';
import type { Admission } from '../waiting-room/signed-tokens.ts';
import { prefetchBuyerCounts, readBuyerLimits } from './buyer-limits.ts';
import type { NewOrder } from './contract.ts';
import { decideOrder } from './decide-order.ts';
import { countersOfExpiredHolds } from './expire-orders.sql.ts';
import { lockedExpiredHolds, maxExpiredPerRound, releaseExpiredHolds } from './expire-orders.ts';
import { unpaidHolds } from './network-holds.ts';
import type { OrderRequest } from './order.ts';
import { newOrderIds } from './order-reads.sql.ts';
import type { PlacedOrder } from './order-schemas.ts';
import { newSecret } from './order-secret.ts';
import { admissionCheck, readAdmissions } from './require-admission.ts';
import { callerNetworks, challengesFor, networkKeyOfRequest, readProofs } from './require-challenge.ts';
import { type AcceptedOrder, describeAccepted, writeAcceptedOrders } from './write-accepted-orders.ts';

/** Places a batch of orders in one transaction, in the order of arrival. Returns one result per request, in the same order. */
export async function createOrders(tx: Tx, requests: readonly OrderRequest[]): Promise<(PlacedOrder | Problem)[]> {
  const orders = requests.map(({ order }) => order);
  const at = new Date(Math.max(...requests.map(({ act }) => act.at.getTime())));
  const proofs = await readProofs(tx, requests);
  const admissions = readAdmissions(tx, requests);
  const { ids, stock, buyerCounts, holds, gates } = await lockAndRead(tx, requests, at, [...admissions.values()]);
  const { passkeys, misses } = await openPasskeys(tx, requests);
  const buyers = await readBuyerLimits(tx, stock, orders, buyerCounts);

  const networkOf = callerNetworks(stock, holds, proofs);
  const admit = admissionCheck(stock, gates, admissions);
  const outcomes = requests.map((request, i): AcceptedOrder | Problem => {
    const { act, order } = request;
    const passkey = passkeys.get(request) ?? null;
    const entry = admit(request);
    if (entry instanceof Problem) return entry;
    if (passkey instanceof Problem) return passkey;
    const channel = order.appCategoryId ?? webShop;
    const context = { actor: act.actor, stock, passkey, buyers, network: networkOf(request), channel, at: act.at };
    const placement = decideOrder(order, context);
    if (placement instanceof Problem) return placement;
    return { ...request, id: ids[i] ?? 0, secret: newSecret(), placement, slot: entry && gates.takeSlot(entry) };
  });
  const accepted = outcomes.filter((outcome): outcome is AcceptedOrder => !(outcome instanceof Problem));
  const withChallenge = await challengesFor(tx, requests, outcomes);
  if (accepted.length > 0) await writeAcceptedOrders(tx, accepted, { stock, buyers, holds }, at);
  await sendWithCommit(tx, misses);
  return outcomes.map((outcome) => (outcome instanceof Problem ? (withChallenge.get(outcome) ?? outcome) : describeAccepted(outcome)));
}

/** Locks and reads all counters that the orders need. This takes one round trip if the events have no expired holds. */
async function lockAndRead(tx: Tx, requests: readonly OrderRequest[], at: Date, admissions: readonly (Admission | null)[]) {
  const orders = requests.map(({ order }) => order);
  const networks = requests.flatMap((request) => networkKeyOfRequest(request) ?? []);
  const toLock = stockOfNewOrders(orders);
  const filter = { eventIds: toLock.eventIds, at, limit: maxExpiredPerRound };
  return releaseExpiredHolds(tx, at, async () => {
    const [, ids, expired, stock, buyerCounts, holds, gates] = await runPipeline(tx, [
      withoutTableScans,
      idsFor(orders),
      lockedExpiredHolds(filter),
      lockedStock({ ...toLock, also: countersOfExpiredHolds(filter) }),
      prefetchBuyerCounts(orders),
      unpaidHolds(networks, at),
      readGates(toLock.eventIds, admissions),
    ]);
    return { ids, expired, stock, buyerCounts, holds, gates };
  });
}

const idsFor = (orders: readonly NewOrder[]): Step<number[]> => ({
  statements: [newOrderIds(orders.length)],
  read: ([rows = []]) => (rows as { id: number }[]).map(({ id }) => id),
});

const distinct = <T>(values: readonly T[]): T[] => [...new Set(values)];

function stockOfNewOrders(orders: readonly NewOrder[]) {
  const eventIds = distinct(orders.map(({ eventId }) => eventId));
  const ofAnySession = orders.filter(({ sessionId }) => sessionId === undefined);
  return {
    eventIds,
    items: orders.flatMap(({ eventId, items }) => items.map(({ itemId }) => ({ eventId, id: itemId }))),
    sessions: orders.flatMap(({ eventId, sessionId }) => (sessionId === undefined ? [] : [{ eventId, id: sessionId }])),
    itemsOfAnySession: distinct(ofAnySession.flatMap(({ items }) => items.map(({ itemId }) => itemId))),
  };
}

async function openPasskeys(tx: Tx, requests: readonly OrderRequest[]) {
  const asking = requests.filter(({ order }) => order.passkey !== undefined);
  const attempts = asking.map(({ act: { at, address }, order: { eventId, passkey: text = '' } }) => ({ eventId, text, at, address }));
  const { outcomes, misses } = await usePasskeys(tx, attempts);
  const passkeys = new Map(
    asking.map((request, i): [OrderRequest, OpenedPasskey | Problem] => [request, outcomes[i] ?? new Problem('passkey_rejected')]),
  );
  return { passkeys, misses };
}
