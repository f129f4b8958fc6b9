import { parseId } from '../kernel/parse-id.ts';
import { Problem } from '../kernel/problem.ts';
import { readDay, readMoment } from '../kernel/wall-clock.ts';
import { type exportTypes, guestStatuses, orderStatuses, passkeyReportStatuses, type SentFilter, salesChannels } from './contract.ts';

export type ExportType = (typeof exportTypes)[number];

/** Filters as stored with the export. Times are RFC 3339. */
export interface Filters {
  transactions: {
    status?: (typeof orderStatuses)[number];
    channel?: number | (typeof salesChannels)[number];
    term?: string;
    from?: string;
    to?: string;
    itemId?: number;
  };
  guestlist: {
    channel?: (typeof salesChannels)[number];
    term?: string;
    status?: (typeof guestStatuses)[number];
    itemId?: number;
    sessionId?: number;
  };
  passkey: { status?: (typeof passkeyReportStatuses)[number] };
}

interface FilterParser {
  /** The end of the error message "(name) must be …". */
  allowed: string;
  /** Returns undefined for an invalid value. */
  parse(text: string, zone: string): string | number | undefined;
}

const oneOf = (values: readonly string[]): FilterParser => ({
  allowed: `one of ${values.join(', ')}`,
  parse: (text) => values.find((value) => value === text),
});
const id: FilterParser = {
  allowed: 'an id, a positive integer',
  parse: (text) => parseId(text) ?? undefined,
};
const channel: FilterParser = {
  allowed: 'online, offline or a channel number',
  parse: (text) => salesChannels.find((name) => name === text) ?? (/^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined),
};
const term: FilterParser = {
  allowed: 'a text of 1 to 100 characters',
  parse: (text) => (text.trim() !== '' && text.length <= 100 ? text.trim() : undefined),
};
/** Parses a date or time. A date without a time means the first second of that day for `from`, and the last second for `to`. */
const moment = (edge: 'first' | 'last'): FilterParser => ({
  allowed: 'a day such as 2026-11-20, a local time such as 2026-11-20 10:00:00, or an RFC 3339 time',
  parse(text, zone) {
    if (!/^(19|2\d)\d\d-\d\d-\d\d/.test(text)) return undefined;
    const date = text.length === 10 ? readDay(text, zone)?.[edge] : readMoment(text, zone);
    return date?.toISOString();
  },
});

const parsers: { [T in ExportType]: Record<string, FilterParser> } = {
  transactions: { status: oneOf(orderStatuses), channel, term, from: moment('first'), to: moment('last'), itemId: id },
  guestlist: { channel: oneOf(salesChannels), term, status: oneOf(guestStatuses), itemId: id, sessionId: id },
  passkey: { status: oneOf(passkeyReportStatuses) },
};

/**
 * Parses the filters of a request. For an unknown name or value it throws a problem that lists the allowed ones. If `filters` is left out,
 * passkeys are filtered by `approved`. An empty list means no filter.
 */
export function parseFilters<T extends ExportType>(type: T, sent: readonly SentFilter[] | undefined, zone: string): Filters[T] {
  const known = parsers[type];
  const filters: Record<string, string | number> = type === 'passkey' && sent === undefined ? { status: 'approved' } : {};
  const seen = new Set<string>();
  for (const [i, { name, value }] of (sent ?? []).map(toPair).entries()) {
    const parser = Object.hasOwn(known, name) ? known[name] : undefined;
    if (!parser)
      throw invalidFilter(`filters[${i}].name`, 'unknown', `unknown filter. Filters for ${type}: ${Object.keys(known).join(', ')}`);
    if (seen.has(name)) throw invalidFilter(`filters[${i}].name`, 'twice', `${name} is sent twice. Send each filter once.`);
    seen.add(name);
    const parsed = parser.parse(value, zone);
    if (parsed === undefined) throw invalidFilter(`filters[${i}].value`, 'value', `${name} must be ${parser.allowed}`);
    filters[name] = parsed;
  }
  return filters;
}

function toPair({ name, value, status }: SentFilter, i: number): { name: string; value: string } {
  if (name === undefined && value === undefined && status !== undefined) return { name: 'status', value: status };
  if (name !== undefined && value !== undefined && status === undefined) return { name, value: String(value) };
  throw invalidFilter(`filters[${i}]`, 'shape', 'a filter must be {"name": …, "value": …} or {"status": …}');
}

function invalidFilter(field: string, code: string, message: string): Problem {
  return new Problem('invalid_input', `${field}: ${message}`, { errors: [{ in: 'body', field, code, message }] });
}

/** Converts stored filters back to the form in which clients send them. */
export const describeFilters = (type: ExportType, filters: object): SentFilter[] =>
  Object.entries(filters)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => (type === 'passkey' ? { status: String(value) } : { name, value: String(value) }));
