import { sql } from 'kysely';
import type { Database, Tx } from '../../../postgres/database.ts';

export async function selectSandboxSecret(tx: Database | Tx): Promise<string> {
  const { rows } = await sql<{ secret: string }>`select secret from sandbox_secret`.execute(tx);
  if (!rows[0]) throw new Error('The sandbox has no secret');
  return rows[0].secret;
}

export interface NewChargeRow {
  reference: string;
  amount: number;
  outcome: string;
  acts_at: Date | null;
  created_at: Date;
}

export interface ChargeRow {
  reference: string;
  amount: number;
  status: 'open' | 'paid' | 'failed';
  paid: number;
}

/** A charge that exists already stays as it is. */
export async function insertCharge(tx: Tx, { reference, amount, outcome, acts_at, created_at }: NewChargeRow): Promise<void> {
  await sql`
    insert into sandbox_charge (reference, amount, outcome, acts_at, created_at)
    values (${reference}, ${amount}, ${outcome}, ${acts_at}, ${created_at}) on conflict (reference) do nothing`.execute(tx);
}

export async function selectCharge(tx: Database | Tx, reference: string): Promise<ChargeRow | null> {
  const { rows } = await sql<ChargeRow>`
    select reference, amount, status, paid from sandbox_charge where reference = ${reference}`.execute(tx);
  return rows[0] ?? null;
}

/** Ends an open charge, unless its simulated buyer is about to act. */
export async function cancelCharge(tx: Tx, reference: string, at: Date): Promise<void> {
  await sql`
    update sandbox_charge set status = 'failed', settled_at = ${at}
     where reference = ${reference} and status = 'open' and acts_at is null`.execute(tx);
}

export interface DueCharge {
  reference: string;
  amount: number;
  outcome: string;
}

/** Returns the charges whose simulated buyer is due to act, and clears their `acts_at`, so that each charge is returned once. */
export async function takeDueCharges(tx: Tx, at: Date, limit: number): Promise<DueCharge[]> {
  const { rows } = await sql<DueCharge>`
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

export async function selectSettledSince(db: Database, since: Date): Promise<(ChargeRow & { outcome: string })[]> {
  const { rows } = await sql<ChargeRow & { outcome: string }>`
    select reference, amount, status, paid, outcome from sandbox_charge where settled_at >= ${since} order by settled_at, reference`.execute(
    db,
  );
  return rows;
}

/** Returns whether the refund is new. */
export async function insertSandboxRefund(
  tx: Tx,
  { reference, charge, amount, at }: { reference: string; charge: string; amount: number; at: Date },
): Promise<boolean> {
  const { rows } = await sql`
    insert into sandbox_refund (reference, charge, amount, created_at) values (${reference}, ${charge}, ${amount}, ${at})
    on conflict (reference) do nothing returning reference`.execute(tx);
  return rows.length > 0;
}

export async function selectSandboxRefund(db: Database, reference: string): Promise<{ amount: number } | null> {
  const { rows } = await sql<{ amount: number }>`select amount from sandbox_refund where reference = ${reference}`.execute(db);
  return rows[0] ?? null;
}

/** Adds to the amount that the sandbox has returned to the buyer. A check constraint refuses more than was paid. */
export async function addReturned(tx: Tx, charge: string, amount: number): Promise<void> {
  await sql`update sandbox_charge set returned = returned + ${amount} where reference = ${charge}`.execute(tx);
}
