import type { Stock } from '../catalog/stock.ts';
import type { Problem } from '../kernel/problem.ts';
import type { Tx } from '../postgres/database.ts';
import type { Gates } from '../waiting-room/gates.ts';
import { type Admission, readAdmission } from '../waiting-room/signed-tokens.ts';
import type { OrderRequest } from './order.ts';
import { isExempt } from './require-challenge.ts';

/** Reads the admissions in the requests, without a query. Null for an admission that this service did not sign. */
export function readAdmissions<R extends OrderRequest>({ secrets }: Tx, requests: readonly R[]): Map<R, Admission | null> {
  const sent = requests.filter(({ order }) => order.admission !== undefined);
  return new Map(sent.map((request) => [request, readAdmission(secrets, request.order.admission ?? '')]));
}

/**
 * Returns a function that decides whether the order may pass the waiting room of its event. The function returns null if the order needs no
 * admission: the crew and background jobs need none. An order for an unknown item passes, because it is refused later for that reason.
 */
export function admissionCheck<R extends OrderRequest>(stock: Stock, gates: Gates, admissions: ReadonlyMap<R, Admission | null>) {
  return (request: R): Admission | Problem | null => {
    const { act, order } = request;
    const item = stock.item(order.items[0]?.itemId ?? 0);
    if (!item || !gates.isClosed(order.eventId) || act.actor.kind === 'system' || isExempt(act.actor, item)) return null;
    return gates.check(order.eventId, admissions.get(request), act.at);
  };
}
