import { sql } from 'kysely';
import type { Statement } from '../../postgres/together.ts';

export interface NewMailRow {
  kind: string;
  recipient: string | null;
  locale: string;
  payload: object;
  dedupe_key: string;
  created_at: Date;
}

/** As JSON, for any number of mails. Due at once. */
export const insertMails = (mails: readonly NewMailRow[]): Statement => sql`
  insert into mail (kind, recipient, locale, payload, dedupe_key, created_at, next_attempt_at)
  select kind, recipient, locale, payload, dedupe_key, created_at, created_at from json_to_recordset(${JSON.stringify(mails)}) as m (
    kind text, recipient text, locale text, payload jsonb, dedupe_key text, created_at timestamptz)
  on conflict (dedupe_key) do nothing`;
