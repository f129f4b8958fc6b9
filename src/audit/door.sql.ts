import { sql } from 'kysely';
import type { Tx } from '../postgres/database.ts';
import { findingsOf } from './findings.sql.ts';

/** Decides all scans again from the whole log, in the order of their scan times. Compares the results with the stored states. */
export const statesAgainstLog = (tx: Tx): Promise<string[]> =>
  findingsOf(
    tx,
    sql`with scan as (
          select c.*, exists (select 1 from checkin_undo u where u.event_id = c.event_id and u.undoes = c.nonce and u.device = c.device
                                 and u.at between c.at and c.at + interval '30 seconds') as taken_back
            from checkin c where c.result in ('admitted', 'already_used')),
        settled as (
          select event_id, nonce, state, taken_back,
                 row_number() over (partition by event_id, ticket_id, external_code_id, session_id, taken_back order by at, device, nonce) as nth
            from scan)
        select format('scan %s of event %s is stored as %s, but the log says %s', nonce, event_id, state, said) as line
          from settled, lateral (select case when taken_back then 'undone' when nth = 1 then 'inside' else 'double' end as said) log
         where state <> said`,
  );

export const repeatedScans = (tx: Tx): Promise<string[]> =>
  findingsOf(
    tx,
    sql`select format('scan %s of event %s is in the log %s times', nonce, event_id, count(*)) as line
          from checkin group by event_id, nonce, ticket_id, external_code_id having count(*) > 1`,
  );

export const codesAgainstAdmissions = (tx: Tx): Promise<string[]> =>
  findingsOf(
    tx,
    sql`with inside as (
          select distinct a.event_id, coalesce(t.external_code_id, a.external_code_id) as id
            from admission a left join ticket t on t.event_id = a.event_id and t.id = a.ticket_id)
        select format('code %s of item %s has status %s; admitted with it: %s', c.id, c.item_id, c.status, i.id is not null) as line
          from external_code c left join inside i on i.event_id = c.event_id and i.id = c.id
         where (c.status = 'used') <> (i.id is not null)`,
  );
