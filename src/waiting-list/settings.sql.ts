import { sql } from 'kysely';
import type { Tx } from '../postgres/database.ts';

export interface ListSettings {
  enabled: boolean;
  hours: number;
  currency: string;
  title: string;
  timezone: string;
}

export async function selectListSettings(tx: Tx, eventId: number): Promise<ListSettings> {
  const { rows } = await sql<ListSettings>`
    select waiting_list and status in ('published', 'private') as enabled, waiting_list_hours as hours, currency, title, timezone
      from event where id = ${eventId}`.execute(tx);
  return rows[0] ?? { enabled: false, hours: 24, currency: 'BRL', title: '', timezone: 'UTC' };
}
