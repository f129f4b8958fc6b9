import type { Catalogue } from './catalogue.ts';

/** Columns that every sale, hold or scan updates, by table. */
const counters: Record<string, readonly string[]> = {
  door: ['codes_deleted'],
  entry_total: ['entries'],
  away_total: ['away'],
  event_session: ['sold', 'held'],
  guest_total: ['checked'],
  item: ['sold', 'held'],
  item_buyer: ['taken'],
  mail_count: ['n'],
  network_hold: ['held', 'lapsed', 'lapsed_at'],
  passkey: ['used', 'held'],
  sale_period: ['sold', 'held'],
  fee_total: ['fee', 'dispute_fee', 'disputed'],
  sales_total: ['tickets', 'refunded', 'first_at', 'last_at', 'producer', 'platform', 'fee_sale'],
  sales_quarter: ['ordered', 'tickets', 'paid'],
  ticket_log: ['last_change'],
  waiting_line: ['waiting'],
  waiting_room: ['last_number', 'skipped'],
};

/** Numbers that start at zero and change only a few times in the life of a row. */
const seldomChanged: Record<string, readonly string[]> = {
  event_cancellation: ['refunded', 'failed', 'amount', 'last_order_id'],
  export: ['attempt', 'rows'],
  item: ['position'],
  mail: ['event_id', 'attempts'],
  order_line: ['refunded', 'restocked'],
  payment: ['received', 'returned', 'attempts'],
  payment_notice: ['attempts'],
  refund: ['attempts'],
  retention_status: ['removed', 'failures'],
  sandbox_charge: ['paid', 'returned'],
  webhook: ['failures'],
  webhook_delivery: ['attempts'],
};

/**
 * PostgreSQL writes the new version of a row into the same page and changes no index (a HOT update), if the page has room and no index contains
 * a changed column.
 */
export function hotUpdateFindings({ tables, indexes }: Catalogue): string[] {
  const full = tables.filter(({ name, fillfactor }) => name in counters && fillfactor === 100).map(({ name }) => `${name} has full pages`);
  const indexed = indexes.flatMap(({ table, name, columns }) =>
    (counters[table] ?? [])
      .filter((counter) => columns.includes(counter))
      .map((counter) => `${table}: the index ${name} contains ${counter}`),
  );
  return [...full, ...indexed];
}

/** Every number that starts at zero is in one of the two lists, and both lists name only existing columns. */
export function unlistedNumberFindings({ columns }: Catalogue): string[] {
  const listed = [counters, seldomChanged].flatMap((list) =>
    Object.entries(list).flatMap(([table, names]) => names.map((name) => `${table}.${name}`)),
  );
  const existing = columns.map(({ table, name }) => `${table}.${name}`);
  const fromZero = columns.filter((column) => column.default === '0').map(({ table, name }) => `${table}.${name}`);
  return [
    ...fromZero.filter((name) => !listed.includes(name)).map((name) => `${name} is in no list`),
    ...listed.filter((name) => !existing.includes(name)).map((name) => `${name} does not exist`),
  ];
}
