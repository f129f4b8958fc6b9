import { randomInt } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../postgres/database.ts';
import { isOfSale } from './findings.sql.ts';

/*
 * These checks compare the amounts of all orders in two tables without a join, because joins over millions of orders are slow. Each order
 * gets a random 64-bit weight, with a new seed for each check. For each table, the check multiplies every amount by the weight of its order
 * and adds up the products. If any order differs, the two sums differ, except with a probability of 1 in 2^60. The audit compares single
 * orders only if the sums differ.
 */

type Weight = (order: RawBuilder<unknown>, part?: RawBuilder<unknown>) => RawBuilder<unknown>;

/**
 * Returns a weight function with a new seed. Its argument `part` gives several amounts of one order different weights, for example per
 * account.
 */
function drawWeight(): Weight {
  const seed = sql`${randomInt(2 ** 47)}::bigint`;
  return (order, part = sql`0`) => sql`hashint8extended(${order}, hashint8extended(${part}, ${seed}))::numeric`;
}

const account = (name: RawBuilder<unknown>) => sql`hashtextextended(${name}, 0)`;

async function holds(tx: Tx, condition: RawBuilder<unknown>): Promise<boolean> {
  const { rows } = await sql<{ holds: boolean | null }>`/* all events */ select ${condition} as holds`.execute(tx);
  return rows[0]?.holds === true;
}

const total = (amount: RawBuilder<unknown>, from: RawBuilder<unknown>) => sql`(select coalesce(sum(${amount}), 0) from ${from})`;

/**
 * The sum over the lines of paid orders: the sum of all lines minus the lines of unpaid orders. There are few unpaid orders, so this is
 * fast.
 */
const totalOfPaid = (amount: RawBuilder<unknown>, others = sql`o.approved_at is null`) => sql`
  ${total(amount, sql`order_line l`)}
  - ${total(amount, sql`ticket_order o join order_line l on l.event_id = o.event_id and l.order_id = o.id where ${others}`)}`;

export async function ticketsFitLines(tx: Tx): Promise<boolean> {
  const weight = drawWeight();
  const ofTicket = weight(sql`order_id`, sql`case when status = 'valid' then item_id else -item_id end`);
  const due = sql`(l.quantity - l.refunded) * ${weight(sql`l.order_id`, sql`l.item_id`)} + l.refunded * ${weight(sql`l.order_id`, sql`-l.item_id`)}`;
  return holds(tx, sql`${total(ofTicket, sql`ticket`)} = ${totalOfPaid(due)}`);
}

/** Checks that each ticket has the sessions of its order line, and the name of the buyer of its order. */
export async function ticketsRepeatOrders(tx: Tx): Promise<boolean> {
  const weight = drawWeight();
  const sessions = (ids: string) => sql`hash_array_extended(${sql.ref(ids)}, 0)::numeric`;
  const holder = (name: string) => sql`hashtextextended(coalesce(${sql.ref(name)}, ''), 0)::numeric`;
  const ofTickets = sql`${sessions('session_ids')} * ${weight(sql`order_id`, sql`item_id`)} + ${holder('holder')} * ${weight(sql`order_id`)}`;
  const due = sql`l.quantity * (${sessions('l.session_ids')} * ${weight(sql`l.order_id`, sql`l.item_id`)} + ${holder('o.buyer_name')} * ${weight(sql`l.order_id`)})`;
  const paid = sql`order_line l join ticket_order o on o.event_id = l.event_id and o.id = l.order_id where o.approved_at is not null`;
  return holds(tx, sql`${total(ofTickets, sql`ticket`)} = ${total(due, paid)}`);
}

export async function totalsFitLines(tx: Tx): Promise<boolean> {
  const weight = drawWeight();
  const kept = sql`exists (select 1 from order_line k where k.event_id = l.event_id and k.order_id = l.order_id and k.refunded < k.quantity)`;
  return holds(
    tx,
    sql`${total(sql`total * ${weight(sql`id`)}`, sql`ticket_order`)}
      = ${total(sql`quantity * (price + fee_sale) * ${weight(sql`order_id`)}`, sql`order_line`)}
      and not exists (select 1 from ticket_order o join order_line l on l.event_id = o.event_id and l.order_id = o.id
                       where o.status = 'refunded' and l.refunded < l.quantity)
      and not exists (select 1 from order_line l join ticket_order o on o.event_id = l.event_id and o.id = l.order_id
                       where l.refunded = l.quantity and o.status <> 'refunded' and not ${kept})`,
  );
}

export async function paymentsFitOrders(tx: Tx): Promise<boolean> {
  const weight = drawWeight();
  return holds(
    tx,
    sql`${total(sql`amount * ${weight(sql`order_id`)}`, sql`payment where status = 'approved'`)}
      = ${total(sql`total * ${weight(sql`id`)}`, sql`ticket_order where approved_at is not null`)}`,
  );
}

/** Checks that the received minus the returned amounts equal the price of the valid tickets plus the refunds. */
export async function paymentsFitTickets(tx: Tx): Promise<boolean> {
  const weight = drawWeight();
  const lines = sql`order_line l join ticket t on t.event_id = l.event_id and t.order_id = l.order_id and t.item_id = l.item_id`;
  return holds(
    tx,
    sql`${total(sql`(received - returned) * ${weight(sql`order_id`)}`, sql`payment where received > returned`)}
      = ${total(sql`(l.price + l.fee_sale) * ${weight(sql`l.order_id`)}`, sql`${lines} where t.status = 'valid'`)}
      + ${total(sql`refunded * (price + fee_sale) * ${weight(sql`order_id`)}`, sql`order_line where refunded > 0`)}`,
  );
}

/** Producer and platform accounts must match the order lines. Payment method accounts must match payments and refunds. */
export async function ledgerFitsLines(tx: Tx): Promise<boolean> {
  const weight = drawWeight();
  const of = (name: string) => weight(sql`l.order_id`, account(sql`${name}::text`));
  const ofMethod = weight(sql`p.order_id`, account(sql`'payment:' || p.method`));
  const moved = sql`amount * (${weight(sql`order_id`, account(sql`target`))} - ${weight(sql`order_id`, account(sql`source`))})`;
  const due = sql`
    (l.quantity - l.refunded) * ((l.price - l.fee_producer) * ${of('producer')} + (l.fee_sale + l.fee_producer) * ${of('platform')})`;
  const refunds = sql`order_line l join payment p on p.event_id = l.event_id and p.order_id = l.order_id and p.status = 'approved'`;
  return holds(
    tx,
    sql`${total(moved, sql`ledger_posting where ${isOfSale}`)}
      = ${totalOfPaid(due, sql`o.approved_at is null or o.total = 0`)}
      - ${total(sql`p.amount * ${ofMethod}`, sql`payment p where p.status = 'approved'`)}
      + ${total(sql`l.refunded * (l.price + l.fee_sale) * ${ofMethod}`, sql`${refunds} where l.refunded > 0`)}`,
  );
}
