import { hash } from 'node:crypto';
import type { Act } from '../kernel/act.ts';
import { networkOf } from '../kernel/network.ts';
import type { Statement, Step } from '../postgres/pipeline.ts';
import { addUnpaid, endHolds, type NetworkKey, type UnpaidMove, type UnpaidRow, unpaidOf } from './network-holds.sql.ts';
import type { StatusChange } from './status-change.ts';

/**
 * The hash of the caller's network. An address is personal data, so only this hash is stored, and it is erased when it no longer counts. Its 52 bits fit
 * a safe integer, which is faster to write and to look up than bytes. Null if the request has no address.
 */
export function networkKey({ address }: Pick<Act, 'address'>, eventId: number): number | null {
  return address === null ? null : Number.parseInt(hash('sha256', `network ${eventId} ${networkOf(address)}`).slice(0, 13), 16);
}

type Lines = readonly { itemId: number; quantity: number }[];

/** Unpaid tickets by network: open holds, and holds that ended unpaid recently. The locks of the items guard the counts. */
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

  /** Free tickets count as lapsed, because they cost the caller nothing, like a hold that ends unpaid. */
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

/** Reads the counts of these networks. Lock the stock first. */
export function unpaidHolds(keys: readonly NetworkKey[], at: Date): Step<NetworkHolds> {
  const distinct = [...new Map(keys.map((key) => [key.network, key])).values()];
  return {
    statements: distinct.length > 0 ? [unpaidOf(distinct, at)] : [],
    read: ([rows = []]) => new NetworkHolds(rows as UnpaidRow[]),
  };
}

/** Ends the holds of orders that leave the status `held`. */
export function releaseNetworks(changes: readonly StatusChange[]): Statement[] {
  const moves = new Map<string, UnpaidMove>();
  for (const { order, to } of changes) {
    if (order.network === null || order.status !== 'held') continue;
    const { network } = order;
    for (const { itemId, quantity } of order.lines) {
      const lapsed = to === 'approved' ? 0 : quantity;
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
