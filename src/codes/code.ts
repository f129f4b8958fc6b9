import type { CodeRow } from './codes.sql.ts';
import type { Code } from './contract.ts';

export function toCode(row: CodeRow): Code {
  return {
    id: row.id,
    eventId: row.event_id,
    itemId: row.item_id,
    sessionId: row.session_id,
    code: row.code,
    status: row.status,
    holder: { name: row.holder_name, document: row.holder_document },
    createdAt: row.created_at.toISOString(),
  };
}
