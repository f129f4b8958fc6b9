import { type RawBuilder, sql } from 'kysely';

/** The rule of `passkeyStatus` as SQL, for queries on `passkey p`. A property test checks that both have the same result. */
export const passkeyStatusSql = (at: Date): RawBuilder<string> => sql<string>`case
  when p.finishes_at + interval '1 second' <= ${at} then 'finished'
  when p.used + p.held >= p.use_limit then 'exhausted'
  when p.starts_at > ${at} then 'scheduled'
  else 'active' end`;
