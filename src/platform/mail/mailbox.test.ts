import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { useWorld } from '../../../test/harness.ts';
import { openPng, scan } from '../../../test/qr.ts';
import { shopOf } from '../../../test/shop.ts';
import { minutesAfterNoon, noon } from '../../../test/world.ts';
import type { OrderTicket } from '../../orders/ticket-contract.ts';
import { mailRenderersOf } from '../../worker/mail-renderers.ts';
import type { MailboxEntry, MailboxMail } from './contract.ts';
import { createMailer } from './create-mailer.ts';
import { clearMailbox, listMailbox } from './mailbox.ts';
import { sendMail } from './send-mail.ts';

const world = useWorld({ MAIL_FROM: 'Casa de Shows <tickets@shop.example>' });
const sending = useWorld({ SMTP_URL: 'smtp://127.0.0.1:1' });
const shop = shopOf(world);

const folder = () => join(world.config.dataDir, 'mailbox');
const list = (query = '') => world.call('GET', `/mailbox${query}`, { as: 'admin' });
const read = (id: number) => world.call('GET', `/mailbox/${id}`, { as: 'admin' });

async function send(): Promise<void> {
  const setup = { mailer: createMailer(world.config), renderers: mailRenderersOf(world.config), from: world.config.mailFrom };
  await sendMail(world.db, setup, world.now);
}

let codes: string[] = [];
beforeAll(async () => {
  const itemId = await shop.newItem();
  const { id, secret } = await shop.buy([{ itemId, quantity: 2 }], { buyer: { name: 'Zoë Souza', email: 'zoe@test.test' } });
  codes = (await world.call('GET', `/orders/${id}/tickets?secret=${secret}`)).json<{ data: OrderTicket[] }>().data.map(({ code }) => code);
  for (let n = 0; n < 2; n++) await shop.buy([{ itemId, quantity: 1 }]);
  await send();
});

describe('GET /mailbox', () => {
  it('returns the mails in pages, newest first', async () => {
    const { data, nextCursor } = (await list('?pageSize=2&count=true')).json<{ data: MailboxEntry[]; nextCursor: string }>();
    expect(data).toHaveLength(2);
    const rest = (await list(`?pageSize=2&cursor=${nextCursor}`)).json<{ data: MailboxEntry[]; nextCursor: null }>();
    expect(rest.nextCursor).toBeNull();
    const ids = [...data, ...rest.data].map(({ id }) => id);
    expect(ids).toEqual(ids.toSorted((a, b) => b - a));
    expect(rest.data).toMatchObject([
      {
        at: noon.toISOString(),
        from: 'Casa de Shows <tickets@shop.example>',
        to: 'Zoë Souza <zoe@test.test>',
        subject: 'Seus ingressos: first-event',
      },
    ]);
  });

  it('returns 404 when SMTP_URL is set', async () => {
    const answer = await sending.call('GET', '/mailbox', { as: 'admin' });
    expect(answer.json()).toMatchObject({ status: 404, detail: 'Mails are sent by SMTP and are not stored in a mailbox' });
    expect((await sending.call('GET', '/mailbox/1', { as: 'admin' })).statusCode).toBe(404);
  });
});

describe('GET /mailbox/{id}', () => {
  it('returns the mail with its pictures as data URLs', async () => {
    const { data } = (await list()).json<{ data: MailboxEntry[] }>();
    const mail = (await read(data.at(-1)?.id ?? 0)).json<MailboxMail>();
    expect(mail.text).toContain('Olá, Zoë Souza!');
    const shown = [...mail.html.matchAll(/src="cid:([^"]+)"/g)].map(([, cid]) => cid);
    expect(mail.pictures.map(({ cid }) => cid)).toEqual(shown);
    const pngs = mail.pictures.map(({ source }) => Buffer.from(source.replace('data:image/png;base64,', ''), 'base64'));
    expect(pngs.map((png) => scan(openPng(png))?.data)).toEqual(codes);
  });

  it('returns 404 for an unknown id', async () => {
    expect((await read(9_999)).statusCode).toBe(404);
  });
});

describe('the mailbox folder', () => {
  it('is listed as empty while it does not exist', async () => {
    expect(await listMailbox(join(folder(), 'nowhere'), {})).toEqual({ data: [], nextCursor: null });
  });

  it('has one complete .eml file per mail', () => {
    const names = readdirSync(folder());
    expect(names).toHaveLength(3);
    for (const name of names) {
      expect(name).toMatch(/^\d{16}\.eml$/);
      expect(readFileSync(join(folder(), name), 'latin1')).toMatch(/^From: Casa de Shows <tickets@shop\.example>\r$/m);
    }
  });

  it('clearMailbox removes mails that are older than 30 days', async () => {
    const [old = '', ...others] = readdirSync(folder());
    utimesSync(join(folder(), old), noon, noon);
    writeFileSync(join(folder(), 'notes.txt'), 'not ours');
    expect(await clearMailbox(folder(), minutesAfterNoon(29 * 24 * 60))).toBe(0);
    expect(await clearMailbox(folder(), minutesAfterNoon(31 * 24 * 60))).toBe(1);
    expect(readdirSync(folder()).toSorted()).toEqual([...others, 'notes.txt']);
    expect(existsSync(join(folder(), old))).toBe(false);
    expect(await clearMailbox(join(folder(), 'nowhere'), noon)).toBe(0);
  });
});
