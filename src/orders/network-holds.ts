import { hash } from 'node:crypto';
import type { Act } from '../kernel/act.ts';
import { networkOf } from '../kernel/network.ts';
import type { Statement, Step } from '../postgres/pipeline.ts';
import { addUnpaid, endHolds, type NetworkKey, type UnpaidMove, type UnpaidRow, unpaidOf } from './network-holds.sql.ts';
import type { StatusChange } from './status-change.ts';

/**
 * Returns a hash of the caller's network, or null if the request has no address. An address is personal data, so only this hash is stored.
 * It is deleted when its count is 0. The hash has 52 bits: such an integer is exact in JavaScript, and faster to store and look up than
 * bytes.
 */
export function networkKey({ address }: Pick<Act, 'address'>, eventId: number): number | null {
  return address === null ? null : Number.parseInt(hash('sha256', `network ${eventId} ${networkOf(address)}`).slice(0, 13), 16);
}

type Lines = readonly { itemId: number; quantity: number }[];

/**
 * Counts unpaid tickets by network: tickets in open holds and in holds that ended unpaid recently. Lock the items first, so that no other
 * transaction changes the counts.
 */
export class NetworkHolds {
  readonly #ofItem: Map<string, number>;
  readonly #inEvent = new Map<number, number>();
  readonly #moves = new Map<string, UnpaidMove>();

  constructor(rows: readonly UnpaidRow[]) {
    this.#ofItem = new Map(rows.map(({ network, itemId, unpaid }) => [`${network} ${itemId}`, unpaid]));
    for (const { network, unpaid } of rows) this.#inEvent.set(network, this.inEvent(network) + unpaid);
  }

  inEvent(network: number): number {
    return this.#inEvent.get(network) ?? 0;
  }

  ofItem(network: number, itemId: number): number {
    return this.#ofItem.get(`${network} ${itemId}`) ?? 0;
  }

  /**
   * Counts the tickets of an accepted order. Free tickets count as `lapsed`: like a hold that ends unpaid, they cost the caller nothing.
   */
  take({ eventId, network }: NetworkKey, lines: Lines, kind: 'held' | 'lapsed'): void {
    for (const { itemId, quantity } of lines) {
      const name = `${network} ${itemId}`;
      this.#ofItem.set(name, this.ofItem(network, itemId) + quantity);
      this.#inEvent.set(network, this.inEvent(network) + quantity);
      add(this.#moves, name, { eventId, network, itemId, held: 0, lapsed: 0, [kind]: quantity });
    }
  }

  statements(at: Date): Statement[] {
    return this.#moves.size > 0 ? [addUnpaid([...this.#moves.values()], at)] : [];
  }
}

/** Reads the counts of these networks. The lock of the stock must come earlier in the pipeline. */
export function unpaidHolds(keys: readonly NetworkKey[], at: Date): Step<NetworkHolds> {
  const distinct = [...new Map(keys.map((key) => [key.network, key])).values()];
  return {
    statements: distinct.length > 0 ? [unpaidOf(distinct, at)] : [],
    read: ([rows = []]) => new NetworkHolds(rows as UnpaidRow[]),
  };
}

/**
 * Subtracts the holds of orders that leave the status `held` from the counts of their networks. Tickets that cost nothing count as `lapsed`,
 * even if the order is approved.
 */
export function releaseNetworks(changes: readonly StatusChange[]): Statement[] {
  const moves = new Map<string, UnpaidMove>();
  for (const { order, to } of changes) {
    if (order.network === null || order.status !== 'held') continue;
    const { network } = order;
    const isPaid = to === 'approved' && order.total > 0;
    for (const { itemId, quantity } of order.lines) {
      const lapsed = isPaid ? 0 : quantity;
      add(moves, `${network} ${itemId}`, { eventId: order.event_id, network, itemId, held: quantity, lapsed });
    }
  }
  const at = new Date(Math.max(...changes.map((each) => each.at.getTime())));
  return moves.size > 0 ? [endHolds([...moves.values()], at)] : [];
}

function add(moves: Map<string, UnpaidMove>, name: string, move: UnpaidMove): void {
  const known = moves.get(name);
  moves.set(name, known ? { ...move, held: known.held + move.held, lapsed: known.lapsed + move.lapsed } : move);
}
