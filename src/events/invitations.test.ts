import { afterEach, describe, expect, it } from 'vitest';
import { useWorld } from '../../test/harness.ts';
import { type Caller, minutesAfterNoon, noon, password } from '../../test/world.ts';
import type { Member } from '../accounts/producer-contract.ts';
import type { CrewMember } from './crew-contract.ts';

const world = useWorld();

afterEach(() => {
  world.now = noon;
});

let count = 0;
const newEmail = () => `person${count++}@test.test`;

/** Creates an account whose owner has logged in before. */
async function newAccount(): Promise<{ id: number; name: string; email: string }> {
  const body = { email: newEmail(), name: 'Real Name', password };
  const { id, name, email } = (await world.call('POST', '/users', { as: 'admin', body })).json();
  await logIn(email);
  return { id, name, email };
}

const logIn = async (email: string) => {
  const response = await world.call('POST', '/auth/login', { body: { email, password } });
  expect(response.statusCode).toBe(200);
};

const lists = [
  {
    title: 'the crew of an event',
    path: () => `/event/${world.siblingEvent}/crew`,
    role: 'sales_operator',
    otherRole: 'sales_manager',
    all: async (as: Caller = 'owner'): Promise<CrewMember[]> =>
      (await world.call('GET', `/event/${world.siblingEvent}/crew`, { as })).json().team,
  },
  {
    title: 'the members of a producer',
    path: () => `/producers/${world.producer}/members`,
    role: 'manager',
    otherRole: 'owner',
    all: async (as: Caller = 'owner'): Promise<Member[]> =>
      (await world.call('GET', `/producers/${world.producer}/members?pageSize=200`, { as })).json().data,
  },
];

describe.each(lists)('an invitation to $title', ({ path, role, otherRole, all }) => {
  const invite = (body: object) => world.call('POST', path(), { as: 'owner', body: { role, ...body } });
  const listed = async (email: string) => (await all()).find(({ user }) => user.email === email);
  const update = (id: number) => world.call('PUT', `${path()}/${id}`, { as: 'owner', body: { role: otherRole } });
  const remove = (id: number) => world.call('DELETE', `${path()}/${id}`, { as: 'owner' });

  it('returns the e-mail and name that the inviter typed, with or without an existing account', async () => {
    const account = await newAccount();
    const unknown = newEmail();
    for (const name of ['Typed Name', undefined]) {
      const [known, fresh] = [
        await invite({ email: account.email.toUpperCase(), name }),
        await invite({ email: unknown.toUpperCase(), name }),
      ];
      const typed = (email: string) => ({
        user: { id: expect.any(Number), name: name ?? email.split('@')[0], email },
        role,
        invited: true,
      });
      expect([known.statusCode, fresh.statusCode]).toEqual([201, 201]);
      expect(known.json()).toEqual(typed(account.email));
      expect(fresh.json()).toEqual(typed(unknown));
      const [knownId, freshId] = [known.json().user.id, fresh.json().user.id];
      // Invitation ids come from one sequence, so they reveal nothing about the account.
      expect(freshId).toBe(knownId + 1);
      expect(await listed(account.email)).toEqual(known.json());
      expect(await listed(unknown)).toEqual(fresh.json());
      expect((await invite({ email: account.email })).statusCode).toBe(409);
      expect((await invite({ email: unknown })).statusCode).toBe(409);
      for (const id of [knownId, freshId]) {
        expect((await update(id)).json()).toMatchObject({ role: otherRole, invited: true, user: { id } });
        expect((await remove(id)).statusCode).toBe(204);
      }
    }
  });

  it('returns 404 for the id of the account until the person has logged in', async () => {
    const account = await newAccount();
    const { user } = (await invite({ email: account.email })).json();
    expect((await update(account.id)).statusCode).toBe(404);
    expect((await remove(account.id)).statusCode).toBe(404);
    expect((await remove(user.id)).statusCode).toBe(204);
  });

  it('shows the account after the person has logged in, and the invitation id still works', async () => {
    const account = await newAccount();
    const { user } = (await invite({ email: account.email, name: 'Typed Name' })).json();
    world.now = minutesAfterNoon(1);
    await logIn(account.email);
    expect(await listed(account.email)).toEqual({ user: account, role });
    expect((await update(user.id)).json()).toEqual({ user: account, role: otherRole });
    expect((await update(account.id)).statusCode).toBe(200);
    expect((await remove(user.id)).statusCode).toBe(204);
    expect((await remove(account.id)).statusCode).toBe(404);
  });

  it('is new when the person is removed and invited again', async () => {
    const account = await newAccount();
    await invite({ email: account.email });
    world.now = minutesAfterNoon(1);
    await logIn(account.email);
    await remove(account.id);
    world.now = minutesAfterNoon(2);
    const again = (await invite({ email: account.email, name: 'Typed Name' })).json();
    expect(again).toMatchObject({ invited: true, user: { name: 'Typed Name' } });
    expect(await listed(account.email)).toEqual(again);
    await remove(again.user.id);
  });

  it('is not created when a platform admin adds the person', async () => {
    const account = await newAccount();
    const added = await world.call('POST', path(), { as: 'admin', body: { email: account.email, role } });
    expect(added.json()).toEqual({ user: account, role });
    await remove(account.id);
  });
});

describe('the order of lists', () => {
  it('GET /event/{id}/crew sorts by the shown name', async () => {
    const [first, last] = [await newAccount(), await newAccount()];
    await world.db.updateTable('app_user').set({ name: 'AAA' }).where('id', '=', first.id).execute();
    await world.db.updateTable('app_user').set({ name: 'ZZZ' }).where('id', '=', last.id).execute();
    for (const [email, name] of [
      [first.email, 'Zoe'],
      [last.email, 'Ana'],
    ]) {
      await world.call('POST', `/event/${world.siblingEvent}/crew`, { as: 'owner', body: { email, name, role: 'admin' } });
    }
    const { team } = (await world.call('GET', `/event/${world.siblingEvent}/crew`, { as: 'owner' })).json();
    expect(team.map(({ user }: CrewMember) => user.name)).toEqual(['Ana', 'Zoe']);
  });

  it('GET /producers/{id}/members sorts by invitation, so that neither order nor cursor reveals the id of an account', async () => {
    const [older, newer] = [await newAccount(), await newAccount()];
    for (const email of [newer.email, older.email]) {
      await world.call('POST', `/producers/${world.producer}/members`, { as: 'owner', body: { email, role: 'manager' } });
    }
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query: string = cursor && `&cursor=${encodeURIComponent(cursor)}`;
      const page = (await world.call('GET', `/producers/${world.producer}/members?pageSize=1${query}`, { as: 'owner' })).json();
      seen.push(...page.data.map(({ user }: Member) => user.email));
      cursor = page.nextCursor;
    }
    expect(seen.slice(-2)).toEqual([newer.email, older.email]);
    expect(new Set(seen).size).toBe(seen.length);
  });
});
