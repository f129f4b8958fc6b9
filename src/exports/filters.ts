import { Problem } from '../kernel/problem.ts';
import { readDay, readMoment } from '../kernel/wall-clock.ts';
import { type exportTypes, guestStatuses, orderStatuses, passkeyReportStatuses, type SentFilter, ways } from './contract.ts';

export type ExportType = (typeof exportTypes)[number];

/** What narrows an export, as it is kept with it. Times are RFC 3339. */
export interface Filters {
  transactions: {
    status?: (typeof orderStatuses)[number];
    channel?: number | (typeof ways)[number];
    term?: string;
    from?: string;
    to?: string;
    itemId?: number;
  };
  guestlist: {
    channel?: (typeof ways)[number];
    term?: string;
    status?: (typeof guestStatuses)[number];
    itemId?: number;
    sessionId?: number;
  };
  passkey: { status?: (typeof passkeyReportStatuses)[number] };
}

/** Reads one value; undefined when it is none of those that are allowed. */
interface Reader {
  allowed: string;
  read(text: string, zone: string): string | number | undefined;
}

const oneOf = (values: readonly string[]): Reader => ({
  allowed: `one of ${values.join(', ')}`,
  read: (text) => values.find((value) => value === text),
});
const id: Reader = { allowed: 'an id', read: (text) => (/^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined) };
const channel: Reader = {
  allowed: 'online, offline or the number of a channel',
  read: (text) => ways.find((way) => way === text) ?? (/^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined),
};
const term: Reader = {
  allowed: 'up to 100 letters',
  read: (text) => (text.trim() !== '' && text.length <= 100 ? text.trim() : undefined),
};
/** A day begins with its first second and ends with its last. */
const moment = (edge: 'first' | 'last'): Reader => ({
  allowed: 'a day, a time at the event such as 2026-11-20 10:00:00, or RFC 3339',
  read(text, zone) {
    if (!/^(19|2\d)\d\d-\d\d-\d\d/.test(text)) return undefined;
    const date = text.length === 10 ? readDay(text, zone)?.[edge] : readMoment(text, zone);
    return date?.toISOString();
  },
});

const readers: { [T in ExportType]: Record<string, Reader> } = {
  transactions: { status: oneOf(orderStatuses), channel, term, from: moment('first'), to: moment('last'), itemId: id },
  guestlist: { channel: oneOf(ways), term, status: oneOf(guestStatuses), itemId: id, sessionId: id },
  passkey: { status: oneOf(passkeyReportStatuses) },
};

/**
 * An unknown name or value is refused with the list of those allowed. Exports of passkeys default to the approved ones when
 * `filters` is left out. An empty list means no filter.
 */
export function readFilters<T extends ExportType>(type: T, sent: readonly SentFilter[] | undefined, zone: string): Filters[T] {
  const known = readers[type];
  const filters: Record<string, string | number> = type === 'passkey' && sent === undefined ? { status: 'approved' } : {};
  const seen = new Set<string>();
  for (const [i, { name, value }] of (sent ?? []).map(toPair).entries()) {
    const reader = Object.hasOwn(known, name) ? known[name] : undefined;
    if (!reader) throw wrong(`filters[${i}].name`, 'unknown', `filters of ${type} are ${Object.keys(known).join(', ')}`);
    if (seen.has(name)) throw wrong(`filters[${i}].name`, 'twice', `${name} stands there twice`);
    seen.add(name);
    const read = reader.read(value, zone);
    if (read === undefined) throw wrong(`filters[${i}].value`, 'value', `${name} must be ${reader.allowed}`);
    filters[name] = read;
  }
  return filters;
}

function toPair({ name, value, status }: SentFilter, i: number): { name: string; value: string } {
  if (name === undefined && value === undefined && status !== undefined) return { name: 'status', value: status };
  if (name !== undefined && value !== undefined && status === undefined) return { name, value: String(value) };
  throw wrong(`filters[${i}]`, 'shape', 'a filter is {"name": …, "value": …} or {"status": …}');
}

function wrong(field: string, code: string, message: string): Problem {
  return new Problem('invalid_input', `${field}: ${message}`, { errors: [{ in: 'body', field, code, message }] });
}

/** As they are sent, in the order of their names. */
export const describeFilters = (type: ExportType, filters: object): SentFilter[] =>
  Object.entries(filters)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => (type === 'passkey' ? { status: String(value) } : { name, value: String(value) }));
