import { parseId } from '../kernel/parse-id.ts';
import { Problem } from '../kernel/problem.ts';
import type { Route } from '../kernel/route.ts';

/** The second path of an operation with `inEvent`: its own path below the event. */
export const eventPathOf = ({ path }: Pick<Route, 'path'>): `/${string}` => `/event/{eventId}${path}`;

/** Whether the body of the operation names the event. */
export function namesEvent({ body }: Route): boolean {
  const { properties = {} }: { properties?: object } = body ?? {};
  return 'eventId' in properties;
}

interface Parts {
  params: unknown;
  body: unknown;
}

/**
 * Takes the event out of the path, so that the other parts are the same as without it. A body that names the event may leave it out. If it
 * does not, it must name the event of the path.
 */
export function takeEvent(route: Route, { params, body }: Parts): Parts & { eventId: number } {
  const { eventId: text, ...rest } = params as { eventId?: string };
  const eventId = parseId(text ?? '');
  if (eventId === null) throw new Problem('not_found');
  return { eventId, params: rest, body: namesEvent(route) ? withEvent(body, eventId) : body };
}

function withEvent(body: unknown, eventId: number): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const { eventId: named = eventId } = body as { eventId?: unknown };
  if (named === eventId) return { ...body, eventId };
  const message = `The path names the event ${eventId}. Leave eventId out of the body, or send the same id.`;
  throw new Problem('invalid_input', message, { errors: [{ in: 'body', field: 'eventId', code: 'mismatch', message }] });
}
