import { describe, expect, it } from 'vitest';
import { useWorld } from '../../test/harness.ts';
import { noon, password } from '../../test/world.ts';
import { eraseCrewInvitations } from '../events/crew.ts';
import { systemAct } from '../kernel/act.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { eraseUser } from './erase-user.ts';

const world = useWorld();

/** Erases a user as the command `tessera user erase` does. */
const erase = (id: number) =>
  inTransaction(world.db, {}, async (tx) => {
    await eraseUser(tx, systemAct('user erase', noon), id);
    await eraseCrewInvitations(tx, id);
  });

const login = async (email: string) => world.call('POST', '/auth/login', { body: { email, password } });
const write = async <T>(path: string, body: object, as: 'admin' | 'owner' = 'admin'): Promise<T> => {
  const answer = await world.call('POST', path, { as, body });
  expect(answer.statusCode, answer.body).toBe(201);
  return answer.json();
};
const newUser = (email: string, more: object = {}) => write<{ id: number }>('/users', { email, name: 'Iara Lima', password, ...more });
const rowsOf = async (statement: string) => (await world.pool.query(statement)).rows;

describe('tessera user erase', () => {
  it('replaces e-mail and name, disables the account, and ends sessions and API tokens', async () => {
    const { id } = await newUser('iara@erase.test');
    const { accessToken } = (await login('iara@erase.test')).json();
    const created = await world.call('POST', '/auth/tokens', {
      token: accessToken,
      body: { name: "Iara's laptop", permissions: ['crew.read'] },
    });
    await erase(id);
    expect((await world.call('GET', `/users/${id}`, { as: 'admin' })).json()).toMatchObject({
      email: `erased-${id}@erased.invalid`,
      name: 'Erased',
      admin: false,
      disabled: true,
    });
    for (const token of [accessToken, created.json<{ token: string }>().token])
      expect((await world.call('GET', '/auth/me', { token })).statusCode).toBe(401);
    for (const email of ['iara@erase.test', `erased-${id}@erased.invalid`]) expect((await login(email)).statusCode).toBe(401);
    expect(await rowsOf(`select name from api_token where user_id = ${id}`)).toEqual([{ name: 'Erased' }]);
    expect(await rowsOf(`select before, after from audit_log where operation = 'user erase' and subject_id = '${id}'`)).toEqual([
      { before: null, after: { erased: true, revokedApiTokens: [created.json<{ id: number }>().id] } },
    ]);
  });

  it('erases what inviters typed about the user', async () => {
    const { id } = await newUser('rui@erase.test');
    const invited = { email: 'rui@erase.test', name: 'Rui as typed' };
    await write(`/producers/${world.producer}/members`, { ...invited, role: 'manager' }, 'owner');
    await write(`/event/${world.event}/crew`, { ...invited, role: 'entrance_operator' }, 'owner');
    await erase(id);
    const columns = 'invitation, invited_email, invited_name';
    const nothing = { invitation: null, invited_email: null, invited_name: null };
    expect(await rowsOf(`select ${columns} from producer_member where user_id = ${id}`)).toEqual([nothing]);
    expect(await rowsOf(`select ${columns} from event_crew where user_id = ${id}`)).toEqual([nothing]);
    const { team } = (await world.call('GET', `/event/${world.event}/crew`, { as: 'owner' })).json<{ team: { user: { id: number } }[] }>();
    expect(team.find(({ user }) => user.id === id)?.user).toEqual({ id, name: 'Erased', email: `erased-${id}@erased.invalid` });
  });

  it('lets the address be used for a new account', async () => {
    const { id } = await newUser('again@erase.test');
    await erase(id);
    expect((await newUser('again@erase.test')).id).not.toBe(id);
  });

  it('refuses the only platform admin and the only owner of a producer, and changes nothing', async () => {
    const before = await rowsOf('select * from app_user order by id');
    await expect(erase(world.users.admin)).rejects.toThrow('The user is the only platform admin. Make another user admin first.');
    await expect(erase(world.users.owner)).rejects.toThrow(
      `The user is the only owner of producer ${world.producer}. Give the producer another owner first.`,
    );
    expect(await rowsOf('select * from app_user order by id')).toEqual(before);
  });

  it('erases an admin and an owner if there is another one', async () => {
    const { id } = await newUser('second@erase.test', { admin: true });
    await world.pool.query(`insert into producer_member (producer_id, user_id, role, created_at) values ($1, $2, 'owner', $3)`, [
      world.producer,
      id,
      noon,
    ]);
    await erase(id);
    expect(await rowsOf(`select admin, disabled_at from app_user where id = ${id}`)).toEqual([{ admin: false, disabled_at: noon }]);
  });
});
