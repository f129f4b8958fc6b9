import { checkPermission, isAllowed } from '../accounts/roles.ts';
import type { Stock, StockItem } from '../catalog/stock.ts';
import type { Act, Actor } from '../kernel/act.ts';
import type { Problem } from '../kernel/problem.ts';
import type { Tx } from '../postgres/database.ts';
import { ChallengeRequired, type Proof, usedBefore, verifyAttempts, withChallenges } from './challenge.ts';
import { isEnough, requiredLevel } from './challenge-level.ts';
import type { NetworkKey } from './network-holds.sql.ts';
import { type NetworkHolds, networkKey } from './network-holds.ts';
import type { OrderRequest } from './order.ts';

/** The network that sent an order, and the challenge that the caller solved, if any. */
export interface CallerNetwork {
  key: NetworkKey;
  holds: NetworkHolds;
  /** A string is the reason why the solution is invalid. Null if the caller sent no solution. */
  proof: Proof | string | null;
  /** Nonces that earlier orders of the batch used. */
  spent: Set<string>;
}

/** A batch needs the key of each request several times. An entry is garbage collected together with its request. */
const keysOfActs = new WeakMap<Act, NetworkKey | null>();

export function networkKeyOfRequest({ act, order: { eventId } }: OrderRequest): NetworkKey | null {
  const known = keysOfActs.get(act);
  if (known !== undefined) return known;
  const network = networkKey(act, eventId);
  const key = network === null ? null : { eventId, network };
  keysOfActs.set(act, key);
  return key;
}

/** Verifies the challenge solutions in the requests. Returns a proof per request, or the reason why its solution is invalid. */
export async function readProofs<R extends OrderRequest>(tx: Tx, requests: readonly R[]): Promise<Map<R, Proof | string>> {
  const attempts = requests.flatMap((request) => {
    const { act, order } = request;
    const key = order.challenge === undefined ? null : networkKeyOfRequest(request);
    return key ? [{ request, attempt: { payload: order.challenge ?? '', key, at: act.at } }] : [];
  });
  const proofs = await verifyAttempts(
    tx,
    attempts.map(({ attempt }) => attempt),
  );
  return new Map(attempts.map(({ request }, i) => [request, proofs[i] ?? usedBefore]));
}

/** Crew members who may sell at the event, and API tokens of its crew, need no challenge and no admission. Their orders do not count for any network. */
export function isExempt(actor: Actor, item: StockItem): boolean {
  if (actor.kind === 'user' && actor.token) return checkPermission(actor, 'order.sell', item) !== 'hidden';
  return isAllowed(actor, 'order.sell', item);
}

/**
 * Returns a function that finds the network of a request. It returns null if the caller is exempt or the event has challenges turned off.
 */
export function callerNetworks<R extends OrderRequest>(stock: Stock, holds: NetworkHolds, proofs: ReadonlyMap<R, Proof | string>) {
  const spent = new Set<string>();
  return (request: R): CallerNetwork | null => {
    const { act, order } = request;
    const item = stock.item(order.items[0]?.itemId ?? 0);
    const key = !item || item.challenge === 'off' || isExempt(act.actor, item) ? null : networkKeyOfRequest(request);
    return key && { key, holds, proof: proofs.get(request) ?? null, spent };
  };
}

/**
 * Returns the proof that the order uses, or null if it needs no proof. Returns a problem if the order needs a proof and has no valid one.
 */
export function requireProof(
  { key, holds, proof, spent }: CallerNetwork,
  stock: Stock,
  lines: readonly { itemId: number; quantity: number; channel: number }[],
): Proof | ChallengeRequired | null {
  const mode = stock.item(lines[0]?.itemId ?? 0)?.challenge ?? 'off';
  const inEvent = holds.inEvent(key.network) + lines.reduce((sum, { quantity }) => sum + quantity, 0);
  const items = lines.map(({ itemId, quantity, channel }) => ({
    unpaid: holds.ofItem(key.network, itemId) + quantity,
    total: stock.item(itemId)?.total(channel) ?? null,
  }));
  const level = requiredLevel(mode, { inEvent, items });
  if (level === null) return null;
  const unmet = reasonAgainst(proof, spent, level);
  if (unmet === null) return proof as Proof;
  return new ChallengeRequired(level, `${unmet} Solve the challenge and send the order again with the solution in "challenge".`);
}

function reasonAgainst(proof: CallerNetwork['proof'], spent: ReadonlySet<string>, level: number): string | null {
  if (proof === null) return 'This order needs a solved challenge.';
  if (typeof proof === 'string') return proof;
  if (spent.has(proof.nonce)) return usedBefore;
  return isEnough(proof.level, level) ? null : 'The solution belongs to an easier challenge than this order needs.';
}

/** Creates a challenge for each `ChallengeRequired` problem. Maps each problem to its copy with the challenge. */
export async function challengesFor(
  tx: Tx,
  requests: readonly OrderRequest[],
  outcomes: readonly unknown[],
): Promise<ReadonlyMap<Problem, Problem>> {
  const needed = requests.flatMap((request, i) => {
    const [problem, key] = [outcomes[i], networkKeyOfRequest(request)];
    return problem instanceof ChallengeRequired && key ? [{ problem, key, at: request.act.at }] : [];
  });
  const challenges = await withChallenges(tx, needed);
  return new Map(needed.map(({ problem }, i) => [problem, challenges[i] ?? problem]));
}
