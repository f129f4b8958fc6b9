import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { inTransaction } from '../src/postgres/transaction.ts';
import { useWorld } from './harness.ts';
import { LockedSoFar, lockedTables, violations } from './lock-order.ts';

const world = useWorld();

it('lockedTables returns the tables whose rows a statement locks', () => {
  expect(lockedTables('select * from "event" where "id" = $1 for no key update')).toEqual(['event']);
  expect(lockedTables('update item i set sold = 1 from unnest($1) as d where i.id = d.id')).toEqual(['item']);
  expect(lockedTables('delete from external_code where id = $1')).toEqual(['external_code']);
  expect(lockedTables('select * from item join event on true')).toEqual([]);
  expect(lockedTables('select from unnest($1) k join item i on i.id = k join event e on true for update of i')).toEqual(['item']);
  const both = `with a as (select from item i for no key update of i) select from "door" d join event_session as s on true for update of s`;
  expect(lockedTables(both)).toEqual(['item', 'event_session']);
});

it('a transaction may lock further rows of a table that it has already locked', () => {
  const locked = new LockedSoFar();
  const statements = ['select from ticket_order for update', 'select from item for no key update', 'update ticket_order set status = 1'];
  expect(statements.map((text) => locked.add(text))).toEqual([null, null, null]);
});

it('locks that skip locked rows may be taken at any time', () => {
  const locked = new LockedSoFar();
  const statements = [
    'select from external_code for update skip locked',
    'update passkey set used = 1',
    'update external_code set status = 1',
  ];
  expect(statements.map((text) => locked.add(text))).toEqual([null, null, null]);
});

it('control: a transaction that locks an item before an order is reported', async () => {
  await inTransaction(world.db, {}, async (tx) => {
    await sql`select from item where id = ${world.item} for no key update`.execute(tx);
    await sql`select from ticket_order where id = 1 for update`.execute(tx);
  });
  // `splice` empties the list, because test/setup.ts fails every test file that has violations at its end.
  expect(violations.splice(0)).toEqual([expect.stringMatching(/^ticket_order is locked after item: /)]);
});
