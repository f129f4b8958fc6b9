import { sql } from 'kysely';
import type { Tx } from '../postgres/database.ts';
import { findingsOf } from './findings.sql.ts';

/**
 * Decides all scans again from the whole log, in the order of their scan times. Compares the results with the stored states. The rule is
 * written in another way than in `door/admission.ts`: an entry counts if the scan before it is no entry, and an exit counts if the scan before
 * it is one. `entry` numbers these entries. Entries above the limit of the event, and the exits after them, do not count.
 */
export const statesAgainstLog = (tx: Tx): Promise<string[]> =>
  findingsOf(
    tx,
    sql`with scan as (
          select c.*, c.result in ('exited', 'not_inside') as leaves,
                 exists (select 1 from checkin_undo u where u.event_id = c.event_id and u.undoes = c.nonce and u.device = c.device
                            and u.at between c.at and c.at + interval '30 seconds') as taken_back
            from checkin c where c.result in ('admitted', 'already_used', 'exited', 'not_inside')),
        followed as (
          select s.*, lag(leaves) over (partition by event_id, ticket_id, external_code_id, session_id, taken_back order by at, device, nonce) as left_before
            from scan s),
        settled as (
          select f.*, not leaves and left_before is distinct from false as enters,
                 count(*) filter (where not leaves and left_before is distinct from false)
                   over (partition by event_id, ticket_id, external_code_id, session_id, taken_back order by at, device, nonce) as entry
            from followed f)
        select format('scan %s of event %s is stored as %s, but the log says %s', nonce, event_id, state, said) as line
          from settled s join (select id, case reentry when 'none' then 1 when 'once' then 2 else 1000000 end as allowed from event) e on e.id = s.event_id,
               lateral (select case when taken_back then 'undone'
                                    when leaves then case when left_before = false and entry <= allowed then 'exited' else 'unmatched' end
                                    when not enters or entry > allowed then 'double'
                                    when entry = 1 then 'inside' else 'reentered' end as said) log
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
