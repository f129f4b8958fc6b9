import { describe, expect, it } from 'vitest';
import { useWorld } from '../../test/harness.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { checks } from './checks.ts';

const world = useWorld();

/** Each check sees the one thing that it is there for. */
const faults: Record<string, string> = {
  'constraints, indexes and triggers are valid and switched on': 'alter table audit_log disable trigger audit_log_append_only',
  'one key signs': 'update signing_key set retired_at = now()',
  'every idempotency key has its answer': `insert into idempotency_key values ('anonymous', sha256('a'), sha256('b'), null, now())`,
  'every producer with events has an owner': `delete from producer_member where role = 'owner'`,
  'a group has sold and holds what its items have': `with g as (insert into item (event_id, type, name, created_at, updated_at)
      select id, 'group', 'G', now(), now() from event limit 1 returning id, event_id)
    insert into item (event_id, parent_id, type, name, sold, created_at, updated_at) select event_id, id, 'ticket', 'T', 1, now(), now() from g`,
};

describe('audit', () => {
  it('every check has a fault that it must find', () => {
    expect(Object.keys(faults).toSorted()).toEqual(checks.map(({ name }) => name).toSorted());
  });

  it.each(checks.map((check) => [check.name, check] as const))('%s', async (name, check) => {
    const find = () => inTransaction(world.db, { readOnly: true }, (tx) => check.find(tx));
    expect(await find()).toEqual([]);
    await world.pool.query(faults[name] ?? '');
    expect(await find()).not.toEqual([]);
  });
});
