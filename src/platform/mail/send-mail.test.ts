import { afterEach, describe, expect, it } from 'vitest';
import { selfSigned } from '../../../test/certificate.ts';
import { useWorld } from '../../../test/harness.ts';
import { useMailServer } from '../../../test/mail-server.ts';
import { minutesAfterNoon, noon } from '../../../test/world.ts';
import { inTransaction } from '../../postgres/transaction.ts';
import { mailRenderersOf } from '../../worker/mail-renderers.ts';
import type { Mailer } from './mailer.ts';
import { eraseOldMails, queueMail } from './outbox.ts';
import { sendMail } from './send-mail.ts';
import { createSmtpMailer } from './smtp-mailer.ts';

const world = useWorld();
const server = useMailServer();
const certificate = selfSigned();
const tlsServer = useMailServer({ certificate });

const from = { name: 'Tessera', address: 'tickets@shop.example' };
const payload = {
  eventTitle: 'Noite de Samba',
  type: 'orders',
  format: 'csv',
  rows: 12_345,
  link: 'https://shop.example/files/1?signature=a&expires=b',
  expiresAt: '2026-03-09T12:00:00.000Z',
  timeZone: 'America/Sao_Paulo',
};

let queued = 0;
const queue = (recipient: string, dedupeKey = `export/${++queued}/ready`, at = noon) =>
  inTransaction(world.db, {}, (tx) => queueMail(tx, { kind: 'export_ready', recipient, locale: 'en', payload, dedupeKey, at }));

const mailers: Mailer[] = [];
function mailerTo(url: string, tls?: object): Mailer {
  const mailer = createSmtpMailer(url, tls);
  mailers.push(mailer);
  return mailer;
}

const send = (at: Date, mailer = mailerTo(server.url)) =>
  sendMail(world.db, { mailer, renderers: mailRenderersOf(world.config), from }, at);

const rows = async () =>
  (await world.pool.query('select status, attempts, last_error, next_attempt_at, sent_at, recipient, payload from mail order by id')).rows;

const secondsAfterNoon = (n: number): Date => minutesAfterNoon(n / 60);

afterEach(async () => {
  for (const mailer of mailers.splice(0)) mailer.close();
  await world.pool.query('delete from mail');
});

describe('a mail in the outbox', () => {
  it('is sent once, with Message-ID, Date and Auto-Submitted headers', async () => {
    await queue('ana@test.test', 'export/7/ready');
    await queue('ana@test.test', 'export/7/ready');
    const { rows: ids } = await world.pool.query<{ message_id: string }>('select message_id from mail');
    expect(await send(noon)).toEqual({ sent: 1, tried: 0, failed: 0 });
    expect(await send(minutesAfterNoon(60))).toBeNull();
    expect(await rows()).toMatchObject([{ status: 'sent', attempts: 1, last_error: null, sent_at: noon }]);
    const [mail] = server.received;
    expect(server.received).toHaveLength(1);
    expect(mail).toMatchObject({ from: from.address, to: ['ana@test.test'] });
    expect(mail?.email).toMatchObject({
      from,
      to: [{ name: '', address: 'ana@test.test' }],
      subject: 'Your export is ready: orders',
      messageId: `<${ids[0]?.message_id}@shop.example>`,
      date: noon.toISOString(),
    });
    const headers = new Map(mail?.email.headers.map(({ key, value }) => [key, value]));
    expect(headers.get('auto-submitted')).toBe('auto-generated');
    expect(mail?.email.text).toContain('Rows: 12,345');
    expect(mail?.email.text).toContain('Monday, March 9, 2026 at 9:00');
    expect(mail?.email.text).toContain(payload.link);
    expect(mail?.email.html).toContain('href="https://shop.example/files/1?signature=a&amp;expires=b"');
  });

  it('is not queued if the transaction is rolled back', async () => {
    const undone = inTransaction(world.db, {}, async (tx) => {
      await queueMail(tx, {
        kind: 'export_ready',
        recipient: 'ana@test.test',
        locale: 'en',
        payload,
        dedupeKey: 'export/8/ready',
        at: noon,
      });
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(await rows()).toEqual([]);
  });

  it('is sent over one of at most four pooled connections', async () => {
    for (let n = 0; n < 40; n++) await queue(`guest${n}@test.test`);
    expect(await send(noon)).toEqual({ sent: 40, tried: 0, failed: 0 });
    expect(new Set(server.received.flatMap(({ to }) => to)).size).toBe(40);
    expect(server.connections).toBeLessThanOrEqual(4);
  });

  it('is sent by only one of several workers', async () => {
    for (let n = 0; n < 30; n++) await queue(`guest${n}@test.test`);
    const done = await Promise.all([send(noon), send(noon), send(noon)]);
    expect(done.reduce((sum, each) => sum + (each?.sent ?? 0), 0)).toBe(30);
    expect(server.received).toHaveLength(30);
  });

  it('is sent by another worker when the connection of the first is lost', async () => {
    await queue('ana@test.test');
    const client = await world.pool.connect();
    await client.query('begin');
    await client.query(`select from mail for update`);
    expect(await send(noon)).toBeNull();
    client.release(new Error('killed'));
    await expect.poll(() => send(noon)).toEqual({ sent: 1, tried: 0, failed: 0 });
  });
});

describe('a mail that the server does not accept', () => {
  it('fails without a retry when the server returns 550 for the recipient', async () => {
    server.recipientReplies.push({ code: 550, text: 'No such user here' });
    await queue('nobody@test.test');
    expect(await send(noon)).toEqual({ sent: 0, tried: 0, failed: 1 });
    expect(await rows()).toMatchObject([{ status: 'failed', attempts: 1, last_error: expect.stringContaining('No such user here') }]);
    expect(await send(minutesAfterNoon(24 * 60))).toBeNull();
  });

  it('fails without a retry when the server returns 554 for the message', async () => {
    server.messageReplies.push({ code: 554, text: 'Looks like spam' });
    await queue('ana@test.test');
    expect(await send(noon)).toEqual({ sent: 0, tried: 0, failed: 1 });
    expect(await rows()).toMatchObject([{ status: 'failed', last_error: expect.stringContaining('Looks like spam') }]);
  });

  it('is retried ten seconds after the server returns 451 (greylisting)', async () => {
    server.recipientReplies.push({ code: 451, text: 'Come back later' });
    await queue('ana@test.test');
    await queue('bea@test.test');
    expect(await send(noon)).toEqual({ sent: 1, tried: 1, failed: 0 });
    expect(await rows()).toMatchObject([{ status: 'queued', attempts: 1, last_error: expect.stringContaining('Come back later') }, {}]);
    expect(await send(secondsAfterNoon(9))).toBeNull();
    expect(await send(secondsAfterNoon(10))).toEqual({ sent: 1, tried: 0, failed: 0 });
    expect(server.received.flatMap(({ to }) => to).toSorted()).toEqual(['ana@test.test', 'bea@test.test']);
  });

  it('is retried with the same Message-ID when the connection breaks in the middle of the message', async () => {
    server.hangUps = 1;
    await queue('ana@test.test');
    const { rows: ids } = await world.pool.query<{ message_id: string }>('select message_id from mail');
    expect(await send(noon)).toEqual({ sent: 0, tried: 1, failed: 0 });
    expect(server.received).toEqual([]);
    expect(await send(secondsAfterNoon(10))).toEqual({ sent: 1, tried: 0, failed: 0 });
    expect(server.received.map(({ email }) => email.messageId)).toEqual([`<${ids[0]?.message_id}@shop.example>`]);
  });

  it('is retried with growing delays for about a day while the server is unreachable, and the mails behind it are not attempted', async () => {
    await queue('ana@test.test');
    await queue('bea@test.test');
    const mailer = mailerTo('smtp://127.0.0.1:1');
    let at = noon;
    const delays: number[] = [];
    const attemptsOfOther: number[] = [];
    for (let rounds = 0; rounds < 20; rounds++) {
      expect(await send(at, mailer)).toMatchObject({ sent: 0 });
      const [ana, bea] = await rows();
      attemptsOfOther.push(bea.attempts);
      if (ana.status === 'failed') break;
      if (ana.next_attempt_at > at) delays.push((ana.next_attempt_at - at.getTime()) / 1000);
      await world.pool.query(`update mail set next_attempt_at = '2030-01-01' where recipient = 'bea@test.test'`);
      at = ana.next_attempt_at;
    }
    expect(attemptsOfOther[0]).toBe(0);
    expect(delays).toEqual([10, 60, 300, 1_800, 7_200, 21_600, 54_000]);
    expect(await rows()).toMatchObject([{ status: 'failed', attempts: 8, last_error: expect.stringContaining('ECONNREFUSED') }, {}]);
  });

  it('does not stop other mails when it cannot be rendered', async () => {
    await world.pool.query(
      `insert into mail (kind, locale, payload, dedupe_key, created_at, next_attempt_at) values ('unheard_of', 'en', '{}', 'x', $1, $1)`,
      [minutesAfterNoon(-1)],
    );
    await queue('ana@test.test');
    expect(await send(noon)).toEqual({ sent: 1, tried: 1, failed: 0 });
  });
});

describe('encryption', () => {
  const withPassword = (password: string) =>
    tlsServer.url.replace('smtp://', `smtp://tessera:${password}@`).replace('127.0.0.1', 'localhost');

  it('sends mail and password over TLS when the certificate is trusted', async () => {
    await queue('ana@test.test');
    expect(await send(noon, mailerTo(withPassword('secret'), { ca: certificate.cert }))).toEqual({ sent: 1, tried: 0, failed: 0 });
    expect(tlsServer.received).toMatchObject([{ secure: true, user: 'tessera', to: ['ana@test.test'] }]);
  });

  it('rejects a self-signed certificate', async () => {
    await queue('ana@test.test');
    expect(await send(noon, mailerTo(withPassword('secret')))).toEqual({ sent: 0, tried: 1, failed: 0 });
    expect(await rows()).toMatchObject([{ status: 'queued', last_error: expect.stringMatching(/self-signed certificate/) }]);
    expect(tlsServer.received).toEqual([]);
  });

  it('sends no password without TLS, even if the server would accept it', async () => {
    const clear = server.url.replace('smtp://', 'smtp://tessera:secret@');
    await queue('ana@test.test');
    expect(await send(noon, mailerTo(clear))).toEqual({ sent: 0, tried: 1, failed: 0 });
    expect(server.received).toEqual([]);
    // The control: with requireTLS=false the password is sent.
    expect(await send(secondsAfterNoon(10), mailerTo(`${clear}?requireTLS=false`))).toEqual({ sent: 1, tried: 0, failed: 0 });
    expect(server.received).toMatchObject([{ secure: false, user: 'tessera' }]);
  });

  it('keeps the mail queued when the server rejects our password', async () => {
    await queue('ana@test.test');
    expect(await send(noon, mailerTo(withPassword('wrong'), { ca: certificate.cert }))).toEqual({ sent: 0, tried: 1, failed: 0 });
    expect(await rows()).toMatchObject([{ status: 'queued', last_error: expect.stringContaining('Wrong password') }]);
  });
});

describe('GET /metrics', () => {
  it('reports the number of queued and failed mails', async () => {
    server.recipientReplies.push({ code: 550, text: 'No such user here' });
    await queue('nobody@test.test');
    await send(noon);
    for (let n = 0; n < 3; n++) await queue('ana@test.test');
    const { body } = await world.app.inject('/metrics');
    expect(body).toMatch(/^tessera_mails\{status="queued"\} 3$/m);
    expect(body).toMatch(/^tessera_mails\{status="failed"\} 1$/m);
  });
});

describe('eraseOldMails', () => {
  it('erases content and recipient of sent and failed mails after 30 days, but not of queued mails', async () => {
    server.recipientReplies.push({ code: 550, text: 'No such user here' });
    await queue('nobody@test.test');
    await queue('ana@test.test');
    await send(noon);
    await queue('bea@test.test');
    const erase = (at: Date) => inTransaction(world.db, {}, (tx) => eraseOldMails(tx, at));
    expect(await erase(minutesAfterNoon(29 * 24 * 60))).toBe(0);
    expect(await erase(minutesAfterNoon(31 * 24 * 60))).toBe(2);
    expect(await erase(minutesAfterNoon(31 * 24 * 60))).toBe(0);
    const erased = { recipient: null, payload: null, last_error: null };
    expect(await rows()).toMatchObject([erased, erased, { status: 'queued', recipient: 'bea@test.test' }]);
  });
});
