import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { auditOf } from '../../test/audit.ts';
import { useWorld } from '../../test/harness.ts';
import { buffersOf, statementsOf } from '../../test/statements.ts';
import type { Tx } from '../postgres/database.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { assignCodes } from './assign-codes.ts';
import type { Code } from './contract.ts';

const world = useWorld();

interface Known {
  code: string;
  status?: 'available' | 'assigned' | 'used';
  holder_name?: string;
  item?: number;
  event?: number;
}

async function store(codes: readonly Known[]): Promise<number[]> {
  const rows = codes.map(({ item = world.item, event = world.event, status = 'available', holder_name = null, code }) => ({
    event_id: event,
    item_id: item,
    session_id: null,
    code,
    status,
    holder_name,
    holder_document: null,
    created_at: world.now,
  }));
  const stored = await world.db.insertInto('external_code').values(rows).returning('id').execute();
  return stored.map(({ id }) => id);
}

/** Stores many codes of the item. Every tenth code has a holder. */
const storeMany = (count: number) =>
  sql`insert into external_code (event_id, item_id, code, holder_name, created_at)
      select ${world.event}, ${world.item}, 'C' || to_char(n, 'FM0000000'), case when n % 10 = 0 then 'João Silva ' || n end, ${world.now}
      from generate_series(1, ${count}::int) n`.execute(world.db);

beforeEach(async () => {
  await world.db.deleteFrom('external_code').execute();
});

describe('GET /items/{itemId}/codes', () => {
  const list = async (query = '') =>
    (await world.call('GET', `/items/${world.item}/codes${query}`, { as: 'owner' })).json<{
      data: Code[];
      nextCursor: string | null;
      total?: number;
    }>();
  const codesOf = async (query: string) => (await list(query)).data.map(({ code }) => code);

  it('returns only the codes of this item, with all fields', async () => {
    const [id] = await store([
      { code: 'A-1', holder_name: 'Ana' },
      { code: 'B', item: world.siblingItem, event: world.siblingEvent },
    ]);
    expect(await list('?count=true')).toEqual({
      data: [
        {
          id,
          eventId: world.event,
          itemId: world.item,
          sessionId: null,
          code: 'A-1',
          status: 'available',
          holder: { name: 'Ana', document: null },
          createdAt: world.now.toISOString(),
        },
      ],
      nextCursor: null,
      total: 1,
    });
  });

  it('filters by status', async () => {
    await store([{ code: 'A' }, { code: 'B', status: 'assigned' }, { code: 'C', status: 'used' }]);
    expect(await codesOf('?status=available')).toEqual(['A']);
    expect(await codesOf('?status=assigned')).toEqual(['B']);
    expect(await codesOf('?status=used')).toEqual(['C']);
  });

  it('finds codes by the beginning of the code or of a word in the name, in any case and without accents', async () => {
    await store([
      { code: 'X-2', holder_name: 'João da Silva' },
      { code: 'X-1', status: 'used' },
      { code: 'JOAO-9' },
      { code: "Z'%", holder_name: "Ana-Maria O'Brien" },
      { code: 'W', item: world.siblingItem, event: world.siblingEvent, holder_name: 'João' },
    ]);
    expect(await codesOf('?term=X-')).toEqual(['X-1', 'X-2']);
    expect(await codesOf('?term=x-')).toEqual([]);
    expect(await codesOf('?term=joao')).toEqual(['X-2']);
    expect(await codesOf('?term=JOAO')).toEqual(['JOAO-9', 'X-2']);
    expect(await codesOf(`?term=${encodeURIComponent('Sil joã')}`)).toEqual(['X-2']);
    expect(await codesOf('?term=brien')).toEqual(["Z'%"]);
    expect(await codesOf(`?term=${encodeURIComponent("Z'%")}`)).toEqual(["Z'%"]);
    expect(await codesOf('?term=X-&status=used')).toEqual(['X-1']);
    for (const term of ["'", '\\', '& | !', ':*', '()', '%', '🎟️']) expect(await codesOf(`?term=${encodeURIComponent(term)}`)).toEqual([]);
    expect((await list('?term=JOAO&count=true')).total).toBe(2);
  });

  it.each(['', '&status=available', '&term=C', '&term=joao'])(
    'returns each code once over all pages with the filter "%s"',
    async (filter) => {
      await storeMany(70);
      const seen: string[] = [];
      let cursor: string | null = '';
      do {
        const page = await list(`?pageSize=3${filter}${cursor && `&cursor=${cursor}`}`);
        seen.push(...page.data.map(({ code }) => code));
        cursor = page.nextCursor;
      } while (cursor);
      expect(seen).toEqual(seen.toSorted());
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen).toHaveLength(filter === '&term=joao' ? 7 : 70);
    },
  );

  it('returns 400 for an unknown status, and for the cursor of another sort order', async () => {
    await storeMany(70);
    const ask = (query: string) => world.call('GET', `/items/${world.item}/codes${query}`, { as: 'owner' });
    expect((await ask('?status=lost')).statusCode).toBe(400);
    expect((await ask(`?term=C&cursor=${(await list()).nextCursor}`)).statusCode).toBe(400);
  });

  it('reads the same number of database pages with many codes as with few', async () => {
    const costOf = async (query: string) => {
      const { statements } = await statementsOf(() => list(query));
      let cost = 0;
      for (const one of statements.filter(({ text }) => text.includes('external_code'))) cost += await buffersOf(world.pool, one);
      return cost;
    };
    const queries = ['', '?status=used', '?term=C0000777', '?term=C', '?term=Z', `?term=${encodeURIComponent('silva 777')}`];
    const costs = async (count: number) => {
      await world.db.deleteFrom('external_code').execute();
      await storeMany(count);
      await world.pool.query('vacuum analyze external_code');
      const found: number[] = [];
      for (const query of queries) found.push(await costOf(query));
      return found;
    };
    const few = await costs(100);
    const many = await costs(50_000);
    expect(Math.min(...few)).toBeGreaterThan(0);
    for (const [i, query] of queries.entries()) expect(many[i], query).toBeLessThan((few[i] ?? 0) * 3 + 60);
  });
});

describe('assignCodes', () => {
  const take = (count: number, after: (tx: Tx) => Promise<unknown> = async () => undefined) =>
    inTransaction(world.db, {}, async (tx) => {
      const taken = await assignCodes(tx, world.event, world.item, count);
      await after(tx);
      return taken;
    });
  const statuses = async () => {
    const rows = await world.db.selectFrom('external_code').select(['code', 'status']).orderBy('code').execute();
    return rows.map(({ code, status }) => `${code} ${status}`);
  };

  it('returns available codes and marks them as assigned', async () => {
    await store([{ code: 'A', status: 'used' }, { code: 'B' }, { code: 'C', status: 'assigned' }, { code: 'D' }, { code: 'E' }]);
    expect((await take(2))?.map(({ code }) => code).toSorted()).toEqual(['B', 'D']);
    expect(await statuses()).toEqual(['A used', 'B assigned', 'C assigned', 'D assigned', 'E available']);
  });

  it('returns null and assigns nothing when there are too few codes', async () => {
    await store([{ code: 'A' }, { code: 'B' }]);
    expect(await take(3)).toBeNull();
    expect(await statuses()).toEqual(['A available', 'B available']);
  });

  it('can assign the same codes again after a rollback', async () => {
    await store([{ code: 'A' }]);
    await expect(take(1, () => Promise.reject(new Error('undone')))).rejects.toThrow('undone');
    expect(await take(1)).toHaveLength(1);
  });

  it('does not wait for a concurrent transaction and assigns other codes', async () => {
    await store([{ code: 'A' }, { code: 'B' }, { code: 'C' }]);
    const inner: string[] = [];
    await take(1, async () => {
      const taken = await take(2);
      inner.push(...(taken ?? []).map(({ code }) => code));
    });
    expect(inner.toSorted()).toEqual(['B', 'C']);
  });

  it('returns each code to one of many concurrent callers', async () => {
    await storeMany(120);
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, i) => take((i % 3) + 1, (tx) => sql`select pg_sleep(0.002)`.execute(tx))),
    );
    const taken = answers.flatMap((codes) => codes ?? []).map(({ code }) => code);
    expect(new Set(taken).size).toBe(taken.length);
    expect(taken).toHaveLength(120);
    expect((await statuses()).filter((one) => one.endsWith('assigned'))).toHaveLength(120);
  });

  it('control: without the lock two callers get the same code', async () => {
    await store([{ code: 'A' }]);
    const peek = (tx: Tx) => tx.selectFrom('external_code').select('code').where('status', '=', 'available').execute();
    const [one, two] = await Promise.all([inTransaction(world.db, {}, peek), inTransaction(world.db, {}, peek)]);
    expect(one).toEqual(two);
  });
});

describe('DELETE /events/{eventId}/codes', () => {
  const remove = (query = '', body?: object) => world.call('DELETE', `/events/${world.event}/codes${query}`, { as: 'owner', body });
  const left = async () => {
    const rows = await world.db.selectFrom('external_code').select('code').orderBy('code').execute();
    return rows.map(({ code }) => code).join(' ');
  };
  let partner = 0;
  const standing = (deleted: number, kept: number) => ({ itemId: world.item, name: 'Standing', deleted, kept });
  const ofPartner = (deleted: number, kept: number) => ({ itemId: partner, name: 'Partner', deleted, kept });

  beforeEach(async () => {
    partner = (await world.call('POST', '/items', { as: 'owner', body: { eventId: world.event, name: 'Partner' } })).json().id;
    await store([
      { code: 'A' },
      { code: 'B', status: 'assigned' },
      { code: 'C', status: 'used' },
      { code: 'D', item: partner },
      { code: 'E', item: world.siblingItem, event: world.siblingEvent },
    ]);
  });

  it('makes devices at the door download all codes again, if a code was deleted', async () => {
    const deletions = async () => {
      const door = await world.pool.query<{ codes_deleted: number }>('select codes_deleted from door where event_id = $1', [world.event]);
      return Number(door.rows[0]?.codes_deleted);
    };
    const before = await deletions();
    await remove();
    expect(await deletions()).toBe(before + 1);
    await remove();
    expect(await deletions()).toBe(before + 1);
    const [id = 0] = await store([{ code: 'F' }]);
    await world.call('DELETE', `/items/${world.item}/codes/${id}`, { as: 'owner' });
    expect(await deletions()).toBe(before + 2);
  });

  it('deletes all codes of the event except those of tickets, and returns the numbers per item', async () => {
    const answer = await remove();
    const result = { deleted: 2, kept: 2, items: [standing(1, 2), ofPartner(1, 0)] };
    expect([answer.statusCode, answer.json()]).toEqual([200, result]);
    expect(await left()).toBe('B C E');
    expect(await auditOf(world, answer)).toEqual([
      {
        by: `user ${world.users.owner}`,
        operation: 'deleteCodes',
        on: `codes ${world.event}`,
        event: world.event,
        before: { filter: {}, ...result },
      },
    ]);
  });

  it('deletes only codes that match the query', async () => {
    expect((await remove('?status=used')).json()).toEqual({ deleted: 0, kept: 1, items: [standing(0, 1)] });
    expect((await remove('?status=available&name=Partner')).json()).toEqual({ deleted: 1, kept: 0, items: [ofPartner(1, 0)] });
    expect((await remove(`?itemId=${world.item}`)).json()).toEqual({ deleted: 1, kept: 2, items: [standing(1, 2)] });
    expect((await remove()).json()).toEqual({ deleted: 0, kept: 2, items: [standing(0, 2)] });
    expect(await left()).toBe('B C E');
  });

  it('deletes only codes of the itemId in the body', async () => {
    expect((await remove('', { itemId: partner })).json()).toEqual({ deleted: 1, kept: 0, items: [ofPartner(1, 0)] });
    expect(await left()).toBe('A B C E');
  });

  it('accepts name and status in the body, alone or with filters in the query', async () => {
    expect((await remove('', { name: 'Partner', status: 'used' })).json()).toEqual({ deleted: 0, kept: 0, items: [] });
    expect((await remove(`?itemId=${world.item}`, { status: 'used' })).json()).toEqual({ deleted: 0, kept: 1, items: [standing(0, 1)] });
    expect((await remove('?name=Partner', { name: 'Partner', itemId: partner })).json()).toMatchObject({ deleted: 1, kept: 0 });
    expect(await left()).toBe('A B C E');
  });

  it('returns 422 when a filter differs between query and body', async () => {
    const conflicts: [string, object, string][] = [
      [`?itemId=${world.item}`, { itemId: partner }, 'itemId'],
      ['?name=Standing', { name: 'Partner' }, 'name'],
      ['?status=used', { status: 'available' }, 'status'],
    ];
    for (const [query, body, field] of conflicts) {
      expect((await remove(query, body)).json()).toMatchObject({
        status: 422,
        code: 'rule_violation',
        errors: [{ field, code: 'conflict' }],
      });
    }
    expect(await left()).toBe('A B C D E');
  });

  it('returns 404 for an item that the event does not have', async () => {
    for (const query of [`?itemId=${world.siblingItem}`, '?name=Nothing', `?itemId=${world.item}&name=Partner`]) {
      expect((await remove(query)).statusCode).toBe(404);
    }
    expect((await remove('', { itemId: world.siblingItem })).statusCode).toBe(404);
    expect(await left()).toBe('A B C D E');
  });

  it('returns 400 for an unknown status and for an unknown field in the body', async () => {
    expect((await remove('?status=lost')).statusCode).toBe(400);
    expect((await remove('', { status: 'lost' })).statusCode).toBe(400);
    expect((await remove('', { itemID: partner })).json()).toMatchObject({ status: 400, errors: [{ in: 'body', field: 'itemID' }] });
    expect(await left()).toBe('A B C D E');
  });

  it('replays the response for the same Idempotency-Key', async () => {
    const again = () => world.call('DELETE', `/events/${world.event}/codes`, { as: 'owner', headers: { 'idempotency-key': 'delete' } });
    const first = await again();
    await store([{ code: 'F' }]);
    expect((await again()).body).toBe(first.body);
    expect(await left()).toBe('B C E F');
  });
});

describe('DELETE /items/{itemId}/codes/{codeId}', () => {
  const remove = (id: number, item = world.item) => world.call('DELETE', `/items/${item}/codes/${id}`, { as: 'owner' });

  it('returns 204 and deletes the code', async () => {
    const [id = 0] = await store([{ code: 'A', holder_name: 'Ana' }]);
    const answer = await remove(id);
    expect(answer.statusCode).toBe(204);
    expect(await auditOf(world, answer)).toMatchObject([{ on: `code ${id}`, before: { code: 'A', status: 'available' } }]);
    expect((await remove(id)).statusCode).toBe(404);
  });

  it('returns 404 for a code of another item and for an unknown code', async () => {
    const [id = 0] = await store([{ code: 'A', item: world.siblingItem, event: world.siblingEvent }]);
    expect((await remove(id)).statusCode).toBe(404);
    expect((await remove(world.missing)).statusCode).toBe(404);
    expect((await world.call('DELETE', `/items/${world.item}/codes/x`, { as: 'owner' })).statusCode).toBe(404);
  });

  it('returns 409 for a code that is assigned or used', async () => {
    for (const id of await store([
      { code: 'A', status: 'assigned' },
      { code: 'B', status: 'used' },
    ])) {
      expect((await remove(id)).json()).toMatchObject({ status: 409, code: 'code_in_use' });
    }
  });
});

describe('the table external_code', () => {
  const insert = (row: Record<string, unknown>) =>
    sql`insert into external_code (event_id, item_id, session_id, code, status, created_at)
        values (${row.event ?? world.event}, ${row.item ?? world.item}, ${row.session ?? null}, ${row.code ?? 'A'}, ${row.status ?? 'available'}, now())`.execute(
      world.db,
    );

  it('rejects duplicate codes in an event, items and sessions of other events, and empty codes', async () => {
    const foreignSession = await world.db
      .selectFrom('event_session')
      .select('id')
      .where('event_id', '=', world.foreignEvent)
      .executeTakeFirstOrThrow();
    await insert({});
    await expect(insert({})).rejects.toThrow('external_code_once');
    await expect(insert({ code: 'B', item: world.siblingItem })).rejects.toThrow('external_code_item');
    await expect(insert({ code: 'B', session: foreignSession.id })).rejects.toThrow('external_code_session');
    await expect(insert({ code: '' })).rejects.toThrow('external_code_form');
    await expect(insert({ code: 'B', status: 'lost' })).rejects.toThrow('external_code_status');
  });
});
