import { type RawBuilder, sql } from 'kysely';

/** The rule of `passkeyStatus` as SQL, for queries that name the table `passkey` `p`. A property test compares the two. */
export const passkeyStatusSql = (at: Date): RawBuilder<string> => sql<string>`case
  when p.finishes_at + interval '1 second' <= ${at} then 'finished'
  when p.used + p.held >= p.use_limit then 'exhausted'
  when p.starts_at > ${at} then 'scheduled'
  else 'active' end`;
