import { type RawBuilder, sql } from 'kysely';
import { passkeyStatusSql } from '../passkeys/passkey-status.ts';
import type { Database } from '../postgres/database.ts';
import { passkeyColumns } from './columns.ts';
import type { Filters } from './filters.ts';
import type { Listing, Part } from './lists.sql.ts';
import { type RenderText, renderCells } from './render.sql.ts';

/** The status of a passkey. Unlike the API, the export also lists deleted passkeys. */
const statusAt = (at: Date) => sql`case when p.deleted_at is not null then 'deleted' else ${passkeyStatusSql(at)} end`;

function matching(eventId: number, { status }: Filters['passkey'], at: Date): RawBuilder<unknown> {
  if (status === undefined || status === 'all') return sql`p.event_id = ${eventId}`;
  const hasStatus = status === 'approved' ? sql`(p.used > 0 or ${statusAt(at)} = 'active')` : sql`${statusAt(at)} = ${status}`;
  return sql`p.event_id = ${eventId} and ${hasStatus}`;
}

/** The list has one row per passkey, ordered by id. */
export async function passkeyParts(_db: Database, { eventId, filters, format, zone, at }: Listing<Filters['passkey']>): Promise<Part[]> {
  const cells = {
    passkeyId: sql`p.id`,
    passkey: sql`p.code`,
    status: statusAt(at),
    start: sql`p.starts_at`,
    finish: sql`p.finishes_at`,
    limit: sql`p.use_limit`,
    used: sql`p.used`,
    held: sql`p.held`,
    items: (
      text: RenderText,
    ) => sql`(select ${text(sql`string_agg(i.name, ', ' order by i.id)`)} from passkey_item x join item i on i.event_id = x.event_id and i.id = x.item_id
                 where x.event_id = p.event_id and x.passkey_id = p.id)`,
    createdAt: sql`p.created_at`,
  };
  const select = sql`select ${renderCells(passkeyColumns, cells, format, zone)} from passkey p where ${matching(eventId, filters, at)}`;
  return [
    {
      ids: sql`select id from passkey where event_id = ${eventId}`,
      rows: ({ after, upTo }) => sql`${select} and p.id > ${after} and p.id <= ${upTo} order by p.id`,
    },
  ];
}

export const countPasskeyReport = ({ eventId, filters, at }: Listing<Filters['passkey']>): RawBuilder<{ n: number }> => sql`
  select count(*) as n from passkey p where ${matching(eventId, filters, at)}`;
