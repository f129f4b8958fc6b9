import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Tx } from '../postgres/database.ts';
import type { Schema } from '../postgres/schema.ts';
import type { ScanResult } from './contract.ts';

export type CheckinRow = Omit<Selectable<Schema['checkin']>, 'event_id' | 'used_at' | 'used_gate' | 'changed_id'>;

export interface CheckinFilter {
  eventId: number;
  double: boolean | undefined;
  result: ScanResult | undefined;
  sessionId: number | undefined;
  ticketId: number | undefined;
  device: string | undefined;
}

function matching({ eventId, double, result, sessionId, ticketId, device }: CheckinFilter): RawBuilder<unknown> {
  const conditions = [
    sql`c.event_id = ${eventId}`,
    ...(double === undefined ? [] : [double ? sql`c.state = 'double'` : sql`c.state <> 'double'`]),
    ...(result === undefined ? [] : [sql`c.result = ${result}`]),
    ...(sessionId === undefined ? [] : [sql`c.session_id = ${sessionId}`]),
    ...(ticketId === undefined ? [] : [sql`c.ticket_id = ${ticketId}`]),
    ...(device === undefined ? [] : [sql`c.device = ${device}`]),
  ];
  return sql.join(conditions, sql` and `);
}

const checkinColumns = sql.raw(
  'c.id, c.nonce, c.ticket_id, c.external_code_id, c.item_id, c.session_id, c.at, c.gate, c.device, c.user_id, c.received_at, c.result, c.state',
);

/** Names a scan of a ticket, or of an imported code whose ticket was sold elsewhere. */
export interface ScanName {
  eventId: number;
  ticketId: number | null;
  codeId: number | null;
  nonce: string;
}

/** A scan in the state `inside` is found by its ticket, any other scan by its nonce. */
export async function selectScan(tx: Tx, { eventId, ticketId, codeId, nonce }: ScanName): Promise<CheckinRow | undefined> {
  const of = sql`c.event_id = ${eventId} and c.nonce = ${nonce}
    and ${ticketId === null ? sql`c.ticket_id is null and c.external_code_id = ${codeId}` : sql`c.ticket_id = ${ticketId}`}`;
  const { rows } = await sql<CheckinRow>`
    select ${checkinColumns} from checkin c where ${of} and c.state = 'inside'
    union all select ${checkinColumns} from checkin c where ${of} and c.state <> 'inside' limit 1`.execute(tx);
  return rows[0];
}

export async function selectCheckins(tx: Tx, filter: CheckinFilter, beforeId: number | null, limit: number): Promise<CheckinRow[]> {
  const page = beforeId === null ? sql`true` : sql`c.id < ${beforeId}`;
  const { rows } = await sql<CheckinRow>`
    select ${checkinColumns} from checkin c where ${matching(filter)} and ${page} order by c.id desc limit ${limit}`.execute(tx);
  return rows;
}

export async function countCheckins(tx: Tx, filter: CheckinFilter): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from checkin c where ${matching(filter)}`.execute(tx);
  return rows[0]?.n ?? 0;
}
