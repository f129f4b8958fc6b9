import { addMember } from '../src/accounts/members.ts';
import { createProducer } from '../src/accounts/producers.ts';
import { openSession } from '../src/accounts/session.ts';
import { ensureSigningKey } from '../src/accounts/signing-keys.ts';
import { findUser } from '../src/accounts/user.ts';
import { createUser } from '../src/accounts/users.ts';
import { createAttribute } from '../src/catalog/attributes.ts';
import { createItem } from '../src/catalog/create-item.ts';
import { createValues } from '../src/catalog/item-values.ts';
import { createSalesPeriod } from '../src/catalog/sales-periods.ts';
import { createCategory } from '../src/events/categories.ts';
import { createEvent } from '../src/events/create-event.ts';
import { addCrewMember } from '../src/events/crew.ts';
import { publishEvent } from '../src/events/event-status.ts';
import { createSession } from '../src/events/sessions.ts';
import { type CrewRole, crewRoles } from '../src/kernel/access.ts';
import { type Act, systemAct } from '../src/kernel/act.ts';
import { createPasskey } from '../src/passkeys/create-passkey.ts';
import type { Database, Tx } from '../src/postgres/database.ts';
import { inTransaction } from '../src/postgres/transaction.ts';

/** The current time in all tests, until a test sets another one. */
export const noon = new Date('2026-03-02T12:00:00.000Z');

export const minutesAfterNoon = (n: number): Date => new Date(noon.getTime() + n * 60_000);

export const password = 'a long enough password';

/**
 * The users of the tests. `owner` and `manager` belong to producer 1, and the crew roles to its first event. `otherOwner` owns producer 2.
 * `stranger` has an account without a role.
 */
export const callers = [
  'admin',
  'owner',
  'manager',
  ...crewRoles.map((role) => `crew_${role}` as const),
  'otherOwner',
  'stranger',
] as const;
export type Caller = (typeof callers)[number];

export interface WorldFacts {
  producer: number;
  otherProducer: number;
  /** The first event. The crew of the tests belongs to it. */
  event: number;
  /** Another event of the same producer. */
  siblingEvent: number;
  /** An event of the other producer. */
  foreignEvent: number;
  /** An item of each event, with values, a sales period for the web and the attribute `maximum`. */
  item: number;
  siblingItem: number;
  foreignItem: number;
  /** One passkey per event (this field and the next two). No items are assigned to them. */
  passkey: number;
  siblingPasskey: number;
  foreignPasskey: number;
  /** An id that no table contains. */
  missing: number;
  users: Record<Caller, number>;
  emails: Record<Caller, string>;
  tokens: Record<Caller, string>;
}

export async function buildWorld(db: Database): Promise<WorldFacts> {
  return inTransaction(db, {}, async (tx) => {
    const act = systemAct('test', noon);
    await ensureSigningKey(tx, act);
    const emails = Object.fromEntries(callers.map((caller) => [caller, `${caller.toLowerCase()}@test.test`])) as Record<Caller, string>;
    const users = {} as Record<Caller, number>;
    for (const caller of callers) {
      const user = await createUser(tx, act, { email: emails[caller], name: caller, password, admin: caller === 'admin' });
      users[caller] = user.id;
    }
    const producer = await createProducer(tx, act, { name: 'First', owner: { email: emails.owner } });
    const otherProducer = await createProducer(tx, act, { name: 'Second', owner: { email: emails.otherOwner } });
    await addMember(tx, act, producer.id, { email: emails.manager, role: 'manager' });
    await createCategory(tx, act, { slug: 'music', name: 'Music' }, new Set());
    const event = await makeEvent(tx, act, producer.id, 'first-event');
    const siblingEvent = await makeEvent(tx, act, producer.id, 'sibling-event');
    const foreignEvent = await makeEvent(tx, act, otherProducer.id, 'foreign-event');
    for (const role of crewRoles) await addCrewMember(tx, act, event, { email: emails[`crew_${role satisfies CrewRole}`], role });
    const [item, siblingItem, foreignItem] = [
      await makeItem(tx, act, event),
      await makeItem(tx, act, siblingEvent),
      await makeItem(tx, act, foreignEvent),
    ];
    const [passkey, siblingPasskey, foreignPasskey] = [
      await makePasskey(tx, act, event),
      await makePasskey(tx, act, siblingEvent),
      await makePasskey(tx, act, foreignEvent),
    ];
    const tokens = await signIn(tx, emails);
    return {
      producer: producer.id,
      otherProducer: otherProducer.id,
      event,
      siblingEvent,
      foreignEvent,
      item,
      siblingItem,
      foreignItem,
      passkey,
      siblingPasskey,
      foreignPasskey,
      missing: 999_999_999,
      users,
      emails,
      tokens,
    };
  });
}

async function makeEvent(tx: Tx, act: Act, producerId: number, link: string): Promise<number> {
  const venue = { name: 'Hall', city: 'São Paulo', state: 'SP', country: 'BR' };
  const where = { timezone: 'America/Sao_Paulo', venue };
  // All requests of a test come from one network address, so the limits on holds are off. Tests of these limits turn them on.
  const limits = { maximumPerOrder: 200, challenge: 'off' } as const;
  const id = await createEvent(tx, act, { producerId, category: 'music', title: link, link, ...where, ...limits });
  await createSession(tx, act, id, { name: 'Night', start: '2026-06-01 20:00:00', finish: '2026-06-01 23:00:00' });
  await publishEvent(tx, act, id, false);
  return id;
}

async function makeItem(tx: Tx, act: Act, eventId: number): Promise<number> {
  const { id } = await createItem(tx, act, { eventId, name: 'Standing', quantity: 100 });
  await createValues(tx, act, id, { price: 5000, feeSale: 500, feeProducer: 0 });
  await createSalesPeriod(tx, act, id, { appCategoryId: 1, start: '2026-02-01 10:00:00', finish: '2026-06-01 20:00:00', available: 100 });
  await createAttribute(tx, act, id, { key: 'maximum', value: 6, type: 'integer' });
  return id;
}

async function makePasskey(tx: Tx, act: Act, eventId: number): Promise<number> {
  return (await createPasskey(tx, act, { eventId, passkey: 'Open Sesame' })).id;
}

async function signIn(tx: Tx, emails: Record<Caller, string>): Promise<Record<Caller, string>> {
  const tokens = {} as Record<Caller, string>;
  for (const caller of callers) {
    const user = await findUser(tx, emails[caller]);
    if (!user) throw new Error(`${caller} has no account`);
    tokens[caller] = (await openSession(tx, user, noon)).login.accessToken;
  }
  return tokens;
}
