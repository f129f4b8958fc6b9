import { basePath } from '../../src/http/base-path.ts';
import type { Capability } from '../../src/http/capability.ts';
import type { Route } from '../../src/kernel/route.ts';
import { csvForm } from '../multipart.ts';
import { pictureForm, png } from '../pictures.ts';
import { Dice } from '../random.ts';
import { type Draft, flaws, groupsFor } from './flaws.ts';
import { encode, goodValue, type Targets, write } from './samples.ts';

/** The argument of Fastify's `inject`. */
interface Request {
  method: string;
  url: string;
  headers: Record<string, string>;
  remoteAddress: string;
  payload?: string | Buffer;
}

export interface Attempt {
  index: number;
  operation: string;
  caller: string;
  flaws: string[];
  request: Request;
}

export interface Named {
  name: string;
  route: Route;
}

export const operationsOf = (capabilities: readonly Capability[]): Named[] =>
  capabilities.flatMap(({ contract }) => Object.entries(contract).map(([name, route]) => ({ name, route })));

/** Returns request number `index` of this seed: a valid request with flaws added. The operations take turns. */
export function malformedRequest(operations: readonly Named[], targets: Targets, seed: number, index: number): Attempt {
  const dice = new Dice(seed, index);
  const { name, route } = operations[index % operations.length] as Named;
  const draft = goodRequest(route, targets, dice, index);
  const caller = dice.pick(targets.reserved[name] ?? [pickCaller(route, targets, dice)]);
  const token = targets.tokens[caller];
  if (token !== undefined) draft.headers.authorization = `Bearer ${token}`;
  const groups = groupsFor(route);
  // Most requests get one flaw, because the first flaw that the service detects hides the others.
  const applied = Array.from({ length: dice.pick([1, 1, 1, 1, 1, 2, 2, 3]) }, () => dice.pick(dice.pick(groups)));
  for (const flaw of applied) flaws[flaw](draft, dice);
  return { index, operation: name, caller, flaws: applied, request: assemble(draft) };
}

/** Usually picks a caller with the permission. A request that is refused for lack of permission tests nothing else. */
function pickCaller(route: Route, { tokens }: Targets, dice: Dice): string {
  const everybody = [...Object.keys(tokens), 'nobody'];
  if (route.access.to === 'anyone') return dice.chance(0.6) ? 'nobody' : dice.pick(everybody);
  if (route.access.to === 'admin') return dice.chance(0.85) ? 'admin' : dice.pick(everybody);
  return dice.chance(0.7) ? dice.pick(['owner', 'admin']) : dice.pick(everybody);
}

function goodRequest(route: Route, targets: Targets, dice: Dice, index: number): Draft {
  const query = goodValue(route.query, route.examples.query, targets, dice);
  const body = goodValue(route.body, route.examples.body, targets, dice);
  const csv = csvForm(`code,item\nCODE-${index},Standing\n`);
  const file = route.upload && (route.upload.mediaType === 'text/csv' ? csv : pictureForm(png({ width: 64, height: 64 })));
  return {
    route,
    method: route.method,
    segments: goodPath(route, targets, dice),
    query: Object.entries(query ?? {}).map(([name, value]) => `${encode(name)}=${encode(String(value))}`),
    body,
    bytes: file?.body ?? null,
    headers: {
      ...file?.headers,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      // Requests with an idempotency key pass through additional code of the service.
      ...(dice.chance(0.2) && { 'idempotency-key': `key-of-${index}` }),
    },
    // Logins are limited per network address. From a single address all logins after the first hundred would return 429.
    remoteAddress: `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`,
  };
}

function goodPath(route: Route, { ids }: Targets, dice: Dice): string[] {
  const examples = (route.examples.params ?? {}) as Record<string, unknown>;
  const segments = route.path.split('/').slice(1);
  return segments.map((segment, i) => {
    const parameter = /^\{(\w+)\}$/.exec(segment)?.[1];
    if (parameter === undefined) return segment;
    const real = ids[segments[i - 1] ?? ''];
    return encode(String(real ? dice.pick(real) : examples[parameter]));
  });
}

/** Twice the limit of Node's HTTP parser. Injected requests do not pass through that parser. Longer URLs would only make the test slow. */
const maxUrlLength = 32_768;

function assemble({ method, segments, query, body, bytes, headers, remoteAddress }: Draft): Request {
  const payload = bytes ?? (body === undefined ? undefined : write(body));
  const search = query.length > 0 ? `?${query.join('&')}` : '';
  const url = `${basePath}/${segments.join('/')}${search}`.slice(0, maxUrlLength);
  return { method, url, headers, remoteAddress, ...(payload !== undefined && { payload }) };
}

/** Describes the request in one line. */
export function describeAttempt({ index, operation, caller, flaws, request }: Attempt): string {
  const { method, url, headers, payload = '' } = request;
  const shown = [url, { ...headers, ...(headers.authorization?.startsWith('Bearer ey') && { authorization: '…' }) }, String(payload)];
  return `#${index} ${operation} as ${caller} (${flaws.join(', ')}): ${method} ${shown.map(short).join(' ')}`;
}

function short(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 300 ? `${text.slice(0, 200)}… ${text.length} … ${text.slice(-60)}` : text;
}
