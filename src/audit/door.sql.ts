import { sql } from 'kysely';
import type { Tx } from '../postgres/database.ts';
import { lines } from './lines.sql.ts';

/** The log once more from its beginning, in one look, and not in the order in which it came in. */
const settled = sql`
  select c.event_id, c.nonce, c.ticket_id, c.external_code_id, c.session_id,
         row_number() over (partition by c.event_id, c.ticket_id, c.external_code_id, c.session_id order by c.at, c.device, c.nonce) as nth
    from checkin c
   where c.result in ('admitted', 'already_used')
     and not exists (select from checkin_undo u where u.event_id = c.event_id and u.undoes = c.nonce and u.device = c.device
                                                  and u.at between c.at and c.at + interval '30 seconds')`;

const subject = (alias: string) => sql.raw(`coalesce('ticket ' || ${alias}.ticket_id, 'code ' || ${alias}.external_code_id)`);

export const admissionsAgainstLog = (tx: Tx): Promise<string[]> =>
  lines(
    tx,
    sql`select format('%s in session %s is inside by scan %s, and by the log by %s', ${subject('a')}, a.session_id, a.nonce, s.nonce) as line
          from admission a left join (${settled}) s on s.event_id = a.event_id and s.nonce = a.nonce and s.nth = 1
           and s.ticket_id is not distinct from a.ticket_id and s.external_code_id is not distinct from a.external_code_id
           and s.session_id is not distinct from a.session_id
         where not a.undone and s.nonce is null
        union all
        select format('%s in session %s is inside by the log, by scan %s, and is not', ${subject('s')}, s.session_id, s.nonce)
          from (${settled}) s left join admission a on a.event_id = s.event_id and a.nonce = s.nonce and not a.undone
         where s.nth = 1 and a.nonce is null`,
  );

export const doublesAgainstLog = (tx: Tx): Promise<string[]> =>
  lines(
    tx,
    sql`select format('scan %s of event %s is a double entry, by the log %s, as told %s', coalesce(s.nonce, d.nonce),
                      coalesce(s.event_id, d.event_id), s.nonce is not null, d.nonce is not null) as line
          from (select * from (${settled}) s where nth > 1) s
          full join double_entry d on d.event_id = s.event_id and d.nonce = s.nonce
         where s.nonce is null or d.nonce is null`,
  );

export const codesAgainstAdmissions = (tx: Tx): Promise<string[]> =>
  lines(
    tx,
    sql`with inside as (
          select distinct coalesce(t.external_code_id, a.external_code_id) as id
            from admission a left join ticket t on t.event_id = a.event_id and t.id = a.ticket_id where not a.undone)
        select format('code %s of item %s is %s, and somebody is inside by it: %s', c.id, c.item_id, c.status, i.id is not null) as line
          from external_code c left join inside i on i.id = c.id where (c.status = 'used') <> (i.id is not null)`,
  );
