import { expect } from 'vitest';
import { systemAct } from '../src/kernel/act.ts';
import type { Message } from '../src/platform/mail/mailer.ts';
import { sendMail } from '../src/platform/mail/send-mail.ts';
import type { Entry, Joined } from '../src/waiting-list/contract.ts';
import { serveWaitingList } from '../src/waiting-list/serve-waiting-list.ts';
import { mailRenderersOf } from '../src/worker/mail-renderers.ts';
import type { World } from './harness.ts';

interface Wish {
  itemId: number;
  quantity?: number;
  sessionId?: number;
  email?: string;
  locale?: string;
}

let people = 0;

/** Returns functions that join the waiting list of the first event, read its mails and serve it. */
export const waitingListOf = (world: World) => {
  const path = () => `/event/${world.event}/waiting-list`;
  const post = (way: string, body: object) => world.call('POST', `${path()}${way}`, { body });

  /** Sends all queued mails and returns those of the waiting list. */
  async function mails(): Promise<Message[]> {
    const sent: Message[] = [];
    const mailer = { send: async (message: Message) => void sent.push(message), close: () => undefined };
    const setup = { mailer, renderers: mailRenderersOf(world.config), from: world.config.mailFrom };
    while (await sendMail(world.db, setup, world.now, { max: 1_000 }));
    return sent.filter(({ text }) => text.includes('/waiting-list/'));
  }

  /** The token in the link to the page of the entry. */
  const tokenIn = ({ text }: Pick<Message, 'text'>): string => /waiting-list\/\d+\?token=([\w-]+)/.exec(text)?.[1] ?? '';

  const join = ({ quantity = 1, email = `waiting${++people}@people.test`, locale = 'en', ...wish }: Wish) =>
    post('', { quantity, email, locale, ...wish });

  /** Joins the list and returns the token of the mail, which is not used yet. */
  async function joined({ email = `waiting${++people}@people.test`, ...wish }: Wish): Promise<string> {
    const answer = await join({ email, ...wish });
    expect(answer.statusCode, answer.body).toBe(202);
    expect(answer.json<Joined>().ahead).toBeGreaterThanOrEqual(0);
    const [mail] = (await mails()).filter(({ to }) => to.address === email);
    return tokenIn(mail ?? { text: '' });
  }

  const confirm = (token: string) => post('/entry/confirm', { token });
  const leave = (token: string) => post('/entry/leave', { token });
  const read = async (token: string): Promise<Entry> => (await world.call('GET', `${path()}/entry?token=${token}`)).json<Entry>();

  /** Joins and confirms. Returns the token. */
  async function wait(wish: Wish): Promise<string> {
    const token = await joined(wish);
    const answer = await confirm(token);
    expect(answer.statusCode, answer.body).toBe(200);
    return token;
  }

  const serve = () => serveWaitingList(world.db, systemAct('serveWaitingList', world.now), null);

  /** The link of an offer leads to the order. */
  const offerIn = ({ text }: Message) => {
    const [, id, secret] = /orders\/(\d+)\?token=([\w.-]+)/.exec(text) ?? [];
    return { id: Number(id), secret: secret ?? '' };
  };

  return { path, mails, join, joined, confirm, leave, read, wait, serve, tokenIn, offerIn };
};
