import { sql } from 'kysely';
import type { Tx } from '../../postgres/database.ts';
import type { Statement } from '../../postgres/pipeline.ts';

export interface NewChargeRow {
  reference: string;
  amount: number;
  outcome: string;
  acts_at: Date | null;
  created_at: Date;
}

export const insertCharges = (charges: readonly NewChargeRow[]): Statement => sql`
  insert into sandbox_charge (reference, amount, outcome, acts_at, created_at)
  select * from json_to_recordset(${JSON.stringify(charges)}) as c (
    reference text, amount bigint, outcome text, acts_at timestamptz, created_at timestamptz)`;

/** Returns the charges whose simulated buyer is due to act, and clears their `acts_at`, so that each charge is returned once. */
export async function takeDueCharges(tx: Tx, at: Date, limit: number): Promise<{ reference: string; amount: number; outcome: string }[]> {
  const { rows } = await sql<{ reference: string; amount: number; outcome: string }>`
    update sandbox_charge c set acts_at = null
      from (select reference from sandbox_charge where acts_at <= ${at} order by acts_at limit ${limit} for update skip locked) due
     where c.reference = due.reference returning c.reference, c.amount, c.outcome`.execute(tx);
  return rows;
}

/** Records one event per charge. The status `paid` is final: later events do not change it. */
export async function recordChargeEvents(
  tx: Tx,
  at: Date,
  events: readonly { reference: string; event: 'paid' | 'failed'; amount: number }[],
): Promise<void> {
  await sql`
    update sandbox_charge c set status = e.event, paid = case when e.event = 'paid' then e.amount else 0 end, settled_at = ${at}
      from json_to_recordset(${JSON.stringify(events)}) as e (reference text, event text, amount bigint)
     where c.reference = e.reference and c.status <> 'paid' and c.status <> e.event`.execute(tx);
}

/** Adds to the amount that the sandbox has returned to the buyer. */
export const recordReturns = (returns: readonly { reference: string; amount: number }[]): Statement => sql`
  update sandbox_charge c set returned = c.returned + r.amount
    from json_to_recordset(${JSON.stringify(returns)}) as r (reference text, amount bigint) where c.reference = r.reference`;

export interface Missed {
  reference: string;
  order_id: number;
  event: 'paid' | 'failed';
  amount: number;
}

/** Returns charges that were paid or failed up to `until`, if the status of their payment does not show that yet. */
export async function selectMissed(tx: Tx, { since, until, limit }: { since: Date; until: Date; limit: number }): Promise<Missed[]> {
  const { rows } = await sql<Missed>`
    /* all events */ select p.reference, p.order_id, c.status as event, case when c.status = 'paid' then c.paid else c.amount end as amount
      from payment p join sandbox_charge c on c.reference = p.reference
     where p.status in ('pending', 'declined') and p.reference is not null and p.created_at >= ${since}
       and c.settled_at <= ${until} and (c.status = 'paid' or (c.status = 'failed' and p.status = 'pending'))
     order by p.created_at limit ${limit}`.execute(tx);
  return rows;
}
