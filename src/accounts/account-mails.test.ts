import { afterEach, describe, expect, it } from 'vitest';
import { auditOf } from '../../test/audit.ts';
import { runBehindLock } from '../../test/behind-lock.ts';
import { useWorld } from '../../test/harness.ts';
import { noon, password } from '../../test/world.ts';
import type { Message } from '../platform/mail/mailer.ts';
import { sendMail } from '../platform/mail/send-mail.ts';
import { mailRenderersOf } from '../worker/mail-renderers.ts';

const world = useWorld({ PUBLIC_URL: 'https://tickets.test' });
const newPassword = 'a new and long password';

/** Sends all due mails and returns them. */
async function mails(): Promise<Message[]> {
  const sent: Message[] = [];
  const mailer = { send: async (message: Message) => void sent.push(message), close: () => undefined };
  await sendMail(world.db, { mailer, renderers: mailRenderersOf(world.config), from: world.config.mailFrom }, world.now);
  return sent;
}

const tokenIn = ({ text }: Message): string => /#token=([\w-]{43})/.exec(text)?.[1] ?? '';
const later = (minutes: number) => {
  world.now = new Date(world.now.getTime() + minutes * 60_000);
};
const post = (path: string, body: object, headers: Record<string, string> = {}) => world.call('POST', path, { body, headers });
const login = (email: string, secret: string) => post('/auth/login', { email, password: secret });
const addMember = (email: string) =>
  world.call('POST', `/producers/${world.producer}/members`, { as: 'owner', body: { email, role: 'manager' } });
const addCrew = (email: string) =>
  world.call('POST', `/event/${world.event}/crew`, { as: 'owner', body: { email, role: 'entrance_operator' } });

afterEach(() => {
  world.now = noon;
});

describe('an invitation', () => {
  it('is mailed to people who are added to a producer, who choose a password with its link and are logged in', async () => {
    const email = 'new@test.test';
    expect((await addMember(email)).json()).toMatchObject({ invited: true });
    const [mail, ...others] = await mails();
    expect(others).toEqual([]);
    expect(mail).toMatchObject({ to: { address: email }, subject: 'Você agora faz parte da equipe: First' });
    expect(mail?.text).toContain('https://tickets.test/console/invitation#token=');
    const token = tokenIn(mail as Message);

    later(1);
    expect((await post('/auth/invitation', { token, password: 'short' })).statusCode).toBe(400);
    const accepted = await post('/auth/invitation', { token, password, name: 'New Person' });
    expect(accepted.json()).toMatchObject({ user: { email, name: 'New Person', producers: [{ id: world.producer, role: 'manager' }] } });
    expect(await auditOf(world, accepted)).toMatchObject([{ operation: 'acceptInvitation', after: { invitation: 'accepted' } }]);
    expect((await post('/auth/invitation', { token, password })).json().code).toBe('invalid_one_time_token');
    expect((await login(email, password)).statusCode).toBe(200);
    const members = (await world.call('GET', `/producers/${world.producer}/members`, { as: 'owner' })).json();
    expect(JSON.stringify(members)).toContain('New Person');
  });

  it('has only a link to the console if the person has a password', async () => {
    await addCrew(world.emails.stranger);
    const [mail] = await mails();
    expect(mail).toMatchObject({ to: { address: world.emails.stranger }, subject: 'Você agora faz parte da equipe: first-event' });
    expect([mail?.text.includes('https://tickets.test/console/\n'), tokenIn(mail as Message)]).toEqual([true, '']);
  });

  it('expires after 7 days, and does not work after the person got a password in another way', async () => {
    await addCrew('late@test.test');
    const [mail] = await mails();
    const token = tokenIn(mail as Message);
    later(7 * 24 * 60);
    expect((await post('/auth/invitation', { token, password })).json().code).toBe('invalid_one_time_token');
    world.now = noon;
    await world.pool.query(`update app_user set password_hash = 'x' where email = 'late@test.test'`);
    expect((await post('/auth/invitation', { token, password })).json().code).toBe('wrong_state');
  });

  it('is mailed at most 10 times per hour to one address', async () => {
    for (let i = 0; i < 11; i++) {
      const { id } = (await addCrew('many@test.test')).json().user;
      expect((await world.call('DELETE', `/event/${world.event}/crew/${id}`, { as: 'owner' })).statusCode).toBe(204);
    }
    expect(await mails()).toHaveLength(10);
  });
});

describe('POST /auth/password/forgot', () => {
  const forgot = (email: string, headers?: Record<string, string>) => post('/auth/password/forgot', { email }, headers);

  it('mails a link that sets a new password once, ends all sessions and revokes API tokens', async () => {
    const email = world.emails.manager;
    const { accessToken } = (await login(email, password)).json();
    const token = { name: 'Export', permissions: ['crew.read'] };
    const api = (await world.call('POST', '/auth/tokens', { token: accessToken, body: token })).json().token;
    expect((await forgot(` ${email.toUpperCase()} `.trim(), { 'accept-language': 'es' })).statusCode).toBe(202);
    const [mail] = await mails();
    expect(mail).toMatchObject({ to: { address: email }, subject: 'Elija una nueva contraseña' });
    const body = { token: tokenIn(mail as Message), newPassword };
    const reset = await post('/auth/password/reset', body);
    expect(reset.statusCode).toBe(204);
    expect(await auditOf(world, reset)).toMatchObject([{ operation: 'resetPassword', after: { password: 'changed' } }]);
    expect((await post('/auth/password/reset', body)).json().code).toBe('invalid_one_time_token');
    for (const ended of [accessToken, api]) expect((await world.call('GET', '/auth/me', { token: ended })).statusCode).toBe(401);
    expect((await login(email, password)).statusCode).toBe(401);
    expect((await login(email, newPassword)).statusCode).toBe(200);
  });

  it('sends the same statements and the same response for unknown addresses, and mails nobody', async () => {
    const rowOf = async (email: string) => {
      const { statusCode, body, headers } = await forgot(email);
      const { rows } = await world.pool.query('select kind, status, locale, payload from mail where recipient = $1', [email]);
      return { statusCode, body, headers: Object.keys(headers), rows };
    };
    const known = await rowOf(world.emails.crew_admin);
    expect(await rowOf('unknown@test.test')).toEqual(known);
    expect(known).toMatchObject({ statusCode: 202, body: '', rows: [{ kind: 'password_reset', status: 'queued' }] });
    expect((await mails()).map(({ to }) => to.address)).toEqual([world.emails.crew_admin]);
  });

  it('mails a link that expires after an hour, and that another new link does not revoke', async () => {
    const email = world.emails.crew_sales_manager;
    await forgot(email);
    await forgot(email);
    const [first, second] = await mails();
    later(60);
    expect((await post('/auth/password/reset', { token: tokenIn(first as Message), newPassword })).statusCode).toBe(401);
    later(-1);
    expect((await post('/auth/password/reset', { token: tokenIn(first as Message), newPassword })).statusCode).toBe(204);
    expect((await post('/auth/password/reset', { token: tokenIn(second as Message), newPassword })).statusCode).toBe(401);
  });

  it('mails at most 5 links per hour to an address and 50 per day for a network, with the same response', async () => {
    const email = world.emails.crew_sales_operator;
    for (let i = 0; i < 7; i++) expect((await forgot(email)).statusCode).toBe(202);
    expect(await mails()).toHaveLength(5);
    await world.pool.query(`update mail_count set n = 50 where scope like 'password reset network:%'`);
    expect((await forgot(world.emails.otherOwner)).statusCode).toBe(202);
    expect(await mails()).toEqual([]);
  });

  it('mails links of which only one works when two are used at the same time', async () => {
    const user = (await world.call('POST', '/users', { as: 'admin', body: { email: 'twice@test.test', name: 'Twice', password } })).json();
    await world.pool.query(`delete from mail_count`);
    await forgot(user.email);
    await forgot(user.email);
    const tokens = (await mails()).map(tokenIn);
    const answers = await runBehindLock(
      world,
      `select from app_user where id = ${user.id} for update`,
      tokens.map((token) => () => post('/auth/password/reset', { token, newPassword })),
    );
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([204, 401]);
  });

  it('does not mail a link to a disabled account, and a link does not work after the account was disabled', async () => {
    const user = (await world.call('POST', '/users', { as: 'admin', body: { email: 'off@test.test', name: 'Off', password } })).json();
    await world.pool.query(`delete from mail_count`);
    await forgot(user.email);
    const [mail] = await mails();
    await world.call('PUT', `/users/${user.id}`, { as: 'admin', body: { disabled: true } });
    expect((await post('/auth/password/reset', { token: tokenIn(mail as Message), newPassword })).statusCode).toBe(401);
    await forgot(user.email);
    expect(await mails()).toEqual([]);
  });

  it('stores no token in plain text', async () => {
    await world.pool.query(`delete from mail_count`);
    await forgot(world.emails.owner);
    const token = tokenIn((await mails())[0] as Message);
    const { rows } = await world.pool.query(
      `select mail::text as line from mail union all select one_time_token::text from one_time_token`,
    );
    expect(token).toHaveLength(43);
    expect(rows.filter(({ line }) => line.includes(token))).toEqual([]);
  });
});
