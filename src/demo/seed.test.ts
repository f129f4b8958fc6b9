import { describe, expect, it } from 'vitest';
import { auditFindings } from '../../test/audit-findings.ts';
import { useWorld } from '../../test/harness.ts';
import { noon } from '../../test/world.ts';
import { crewRoles } from '../kernel/access.ts';
import { systemAct } from '../kernel/act.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { demoPasswords, refusePublishedPasswords } from './passwords.ts';
import { hasDemo } from './people.sql.ts';
import { demoPassword, people } from './people.ts';
import { seedDemo } from './seed.ts';

const world = useWorld();
const passwords = demoPasswords({ demo: 'on', exposedBy: null });

describe('the demo data', () => {
  it('can be created at any time of the year', async () => {
    // The start and the end of daylight saving time in Lisbon, and a leap day. Each transaction is rolled back.
    for (const day of ['2026-03-29T01:30:00Z', '2026-10-25T00:30:00Z', '2028-02-29T23:59:59Z']) {
      const rolledBack = new Error('rolled back');
      const seeding = inTransaction(world.db, {}, async (tx) => {
        // The test world already has a category with this slug.
        await tx.updateTable('category').set({ slug: 'other-music' }).where('slug', '=', 'music').execute();
        await seedDemo(tx, systemAct('demo', new Date(day)), passwords);
        throw rolledBack;
      });
      await expect(seeding).rejects.toBe(rolledBack);
    }
  });

  it('has events in every status, several time zones, states and categories, and crew in every role', async () => {
    await inTransaction(world.db, {}, async (tx) => {
      await tx.updateTable('category').set({ slug: 'other-music' }).where('slug', '=', 'music').execute();
      expect(await hasDemo(tx)).toBe(false);
      await seedDemo(tx, systemAct('demo', noon), passwords);
      expect(await hasDemo(tx)).toBe(true);
    });
    const events = await world.db.selectFrom('event').selectAll().where('link', 'not like', '%-event').execute();
    expect(events).toHaveLength(17);
    expect(new Set(events.map(({ status }) => status))).toEqual(new Set(['draft', 'published', 'private', 'cancelled']));
    for (const column of ['timezone', 'category_id', 'venue_state'] as const) {
      expect(new Set(events.map((event) => event[column])).size).toBeGreaterThanOrEqual(5);
    }
    expect(new Set(events.map(({ producer_id }) => producer_id)).size).toBe(2);
    const types = await world.db.selectFrom('item').select('type').distinct().execute();
    expect(types.map(({ type }) => type).toSorted()).toEqual(['courtesy', 'external', 'group', 'passport', 'ticket']);
    const passkeys = await world.db
      .selectFrom('passkey_item')
      .select('item_id')
      .where(
        'event_id',
        'in',
        events.map(({ id }) => id),
      )
      .execute();
    expect(passkeys).toHaveLength(4);
    const roles = await world.db.selectFrom('event_crew').select('role').distinct().execute();
    expect(roles.map(({ role }) => role).toSorted()).toEqual(crewRoles.toSorted());
  });

  it('has accounts that can log in', async () => {
    for (const { email } of Object.values(people)) {
      const answer = await world.call('POST', '/auth/login', { body: { email, password: demoPassword } });
      expect(answer.statusCode).toBe(200);
    }
  });

  it('is refused on a public address while accounts have the published password', async () => {
    const check = (exposedBy: string | null) => inTransaction(world.db, {}, (tx) => refusePublishedPasswords(tx, { exposedBy }));
    await expect(check('HOST=0.0.0.0')).rejects.toThrow(/admin@demo\.test.*HOST=0\.0\.0\.0 is public.*tessera user password EMAIL/);
    await expect(check(null)).resolves.toBeUndefined();
    await world.db.updateTable('app_user').set({ password_hash: null }).where('email', 'like', '%@demo.test').execute();
    await expect(check('HOST=0.0.0.0')).resolves.toBeUndefined();
  });

  it('passes the audit', async () => {
    const found = await auditFindings(world.db);
    expect(found).toEqual([]);
  });
});
