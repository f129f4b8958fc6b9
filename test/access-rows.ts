import { join } from 'node:path';
import { createApiToken } from '../src/accounts/api-tokens.ts';
import { changePayout } from '../src/accounts/change-payout.ts';
import { addMember } from '../src/accounts/members.ts';
import { createOneTimeToken } from '../src/accounts/one-time-tokens.ts';
import { replaceRecoveryCodes } from '../src/accounts/recovery-codes.ts';
import { openSession } from '../src/accounts/session.ts';
import { findUser } from '../src/accounts/user.ts';
import { createUser } from '../src/accounts/users.ts';
import { createAttribute } from '../src/catalog/attributes.ts';
import { createItem } from '../src/catalog/create-item.ts';
import { createValues } from '../src/catalog/item-values.ts';
import { createSalesPeriod } from '../src/catalog/sales-periods.ts';
import { createDevice } from '../src/door/devices.ts';
import { createCategory } from '../src/events/categories.ts';
import { createEvent } from '../src/events/create-event.ts';
import { addCrewMember } from '../src/events/crew.ts';
import { publishEvent } from '../src/events/event-status.ts';
import { createSession } from '../src/events/sessions.ts';
import { createFeatured } from '../src/home/featured.ts';
import { createSection } from '../src/home/sections.ts';
import { crewRoles } from '../src/kernel/access.ts';
import { type Act, systemAct, type User } from '../src/kernel/act.ts';
import { Problem } from '../src/kernel/problem.ts';
import { createOrders } from '../src/orders/create-orders.ts';
import { createPasskey } from '../src/passkeys/create-passkey.ts';
import { payOrders } from '../src/payments/pay-orders.ts';
import { signatureOf } from '../src/payments/providers/sandbox/sandbox.ts';
import { createMailboxMailer } from '../src/platform/mail/mailbox-mailer.ts';
import type { Tx } from '../src/postgres/database.ts';
import { inTransaction } from '../src/postgres/transaction.ts';
import { createEntryLink } from '../src/waiting-list/entry.ts';
import { joinQueue } from '../src/waiting-room/join-queue.ts';
import { updateWaitingRoom } from '../src/waiting-room/update-room.ts';
import { createWebhook } from '../src/webhooks/change-webhooks.ts';
import { testWebhook } from '../src/webhooks/deliveries.ts';
import { Authenticator, totpCode } from './authenticator.ts';
import { insertCancellation } from './cancellations.ts';
import { insertExport, linkOfFile } from './exports.ts';
import type { World } from './harness.ts';
import { csvForm } from './multipart.ts';
import { pictureForm, png } from './pictures.ts';
import { harmlessEvent, signatureOf as stripeSignatureOf } from './stripe/settings.ts';
import { type Caller, noon, password } from './world.ts';

/** The resource that a request is about, from the point of view of producer 1 and the crew of its first event. */
export const targets = ['own', 'otherEvent', 'otherProducer', 'missing'] as const;
export type Target = (typeof targets)[number];

export interface Cell {
  world: World;
  caller: Caller | 'anonymous';
  target: Target;
  /** The id of the target: the resource for which the operation checks the permission. */
  id: number;
}

export interface RowRequest {
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
  /** A token to send instead of the token of the caller. Used if the request makes its token invalid. */
  token?: string;
}

/** Builds a request that succeeds for every caller with the permission, even if it is repeated. A test fails if an operation has no row. */
export type Row = (cell: Cell) => RowRequest | Promise<RowRequest>;

let counter = 0;
const freshEmail = (): string => `fresh${++counter}@test.test`;
const freshCode = (): string => `fresh ${++counter}`;

function asSystem<T>(world: World, work: (tx: Tx, act: Act) => Promise<T>): Promise<T> {
  return inTransaction(world.db, {}, (tx) => work(tx, systemAct('test', noon)));
}

async function openSessionOf(world: World, email: string) {
  return asSystem(world, async (tx) => {
    const user = await findUser(tx, email);
    if (!user) throw new Error(`${email} has no account`);
    const { sessionId, login } = await openSession(tx, user, noon);
    return { ...login, sessionId };
  });
}

const freshLogin = ({ world, caller }: Cell) => openSessionOf(world, world.emails[caller === 'anonymous' ? 'stranger' : caller]);

const freshUser = (world: World) => asSystem(world, (tx, act) => createUser(tx, act, { email: freshEmail(), name: 'Fresh', password }));

const freshUserSession = async (world: World) => openSessionOf(world, (await freshUser(world)).email);

/** The factor is a passkey that nobody has. The recovery codes work. */
async function freshUserWithFactor(world: World) {
  const { user, accessToken } = await freshUserSession(world);
  const key = { credential_id: `fresh${++counter}`, public_key: Buffer.from('key'), sign_count: 0 };
  const row = { user_id: user.id, kind: 'webauthn', name: 'Fresh', ...key, created_at: noon, confirmed_at: noon } as const;
  return asSystem(world, async (tx) => ({
    id: user.id,
    accessToken,
    factorId: (await tx.insertInto('auth_factor').values(row).returning('id').executeTakeFirstOrThrow()).id,
    recoveryCodes: await replaceRecoveryCodes(tx, user.id),
  }));
}

async function freshToken(cell: Cell) {
  const { user, sessionId } = await freshLogin(cell);
  const actor = { kind: 'user', id: user.id, email: 'x@test.test', name: 'x', admin: true, sessionId } as User;
  return asSystem(cell.world, (tx, act) => createApiToken(tx, { ...act, actor }, { name: 'Fresh', permissions: ['crew.read'] }));
}

const exists = (cell: Cell): boolean => cell.target !== 'missing';

async function freshMember(cell: Cell): Promise<number> {
  if (!exists(cell)) return cell.world.users.manager;
  return asSystem(cell.world, async (tx, act) => (await addMember(tx, act, cell.id, { email: freshEmail(), role: 'manager' })).user.id);
}

const webhookBody = { url: 'https://hooks.example.com/', types: ['order.approved' as const] };

/** Creates a webhook, and deletes the others of the producer, whose number is limited. Returns the path. */
async function freshWebhook({ world, id, target }: Cell): Promise<string> {
  if (target === 'missing') return `/producers/${id}/webhooks/1`;
  return asSystem(world, async (tx, act) => {
    await tx.deleteFrom('webhook').where('producer_id', '=', id).execute();
    return `/producers/${id}/webhooks/${(await createWebhook(tx, act, id, webhookBody, false)).id}`;
  });
}

/** Returns the path of a delivery that was delivered. */
async function freshDelivery(cell: Cell): Promise<string> {
  const path = await freshWebhook(cell);
  if (!exists(cell)) return `${path}/deliveries/1`;
  return asSystem(cell.world, async (tx, act) => {
    const { id } = await testWebhook(tx, act, { producerId: cell.id, id: Number(path.split('/').at(-1)) });
    await tx.updateTable('webhook_delivery').set({ status: 'delivered' }).where('id', '=', id).execute();
    return `${path}/deliveries/${id}`;
  });
}

async function freshDevice(cell: Cell): Promise<number> {
  if (!exists(cell)) return 1;
  return asSystem(cell.world, async (tx, act) => (await createDevice(tx, act, cell.id, { name: 'Fresh' }, '')).id);
}

async function freshCrewMember(cell: Cell): Promise<number> {
  if (!exists(cell)) return cell.world.users.manager;
  return asSystem(
    cell.world,
    async (tx, act) => (await addCrewMember(tx, act, cell.id, { email: freshEmail(), role: 'sales_operator' })).user.id,
  );
}

/** Creates an item without values in the event of the target. */
async function freshItem({ world, id }: Cell): Promise<number> {
  const events = new Map([
    [world.item, world.event],
    [world.siblingItem, world.siblingEvent],
    [world.foreignItem, world.foreignEvent],
  ]);
  const eventId = events.get(id);
  if (eventId === undefined) return id;
  return asSystem(world, async (tx, act) => (await createItem(tx, act, { eventId, name: 'Fresh' })).id);
}

const session = { name: 'Fresh', start: '2026-06-02 20:00:00', finish: '2026-06-02 23:00:00' };

async function freshSession(cell: Cell): Promise<number> {
  if (!exists(cell)) return cell.world.missing;
  return asSystem(cell.world, (tx, act) => createSession(tx, act, cell.id, session));
}

async function freshAttribute(cell: Cell): Promise<string> {
  const key = `fresh${++counter}`;
  if (!exists(cell)) return key;
  await asSystem(cell.world, (tx, act) => createAttribute(tx, act, cell.id, { key, value: 'x', type: 'string' }));
  return key;
}

async function freshSalesPeriod(cell: Cell): Promise<number> {
  const appCategoryId = 1_000_000 + ++counter;
  if (!exists(cell)) return appCategoryId;
  await asSystem(cell.world, (tx, act) => createSalesPeriod(tx, act, cell.id, { ...salesPeriod, appCategoryId }));
  return appCategoryId;
}

const freshCategory = ({ world }: Cell) =>
  asSystem(world, async (tx, act) => (await createCategory(tx, act, { slug: `fresh-${++counter}`, name: 'Fresh' }, new Set())).id);

const freshFeatured = ({ world }: Cell) => asSystem(world, async (tx, act) => (await createFeatured(tx, act, { eventId: world.event })).id);

const freshSection = ({ world }: Cell) =>
  asSystem(world, async (tx, act) => (await createSection(tx, act, { title: `Fresh ${++counter}` })).id);

/**
 * Creates an event with the producer and the crew of the target. Publishing and cancelling work only once per event, so each request gets a
 * new one.
 */
async function freshEvent(cell: Cell, published: boolean): Promise<number> {
  const { world, target } = cell;
  if (!exists(cell)) return world.missing;
  return asSystem(world, async (tx, act) => {
    const producerId = target === 'otherProducer' ? world.otherProducer : world.producer;
    const id = await createEvent(tx, act, { producerId, category: 'music', title: `Fresh ${++counter}`, timezone: 'UTC' });
    await createSession(tx, act, id, session);
    if (published) await publishEvent(tx, act, id, false);
    if (target === 'own') {
      for (const role of crewRoles) await addCrewMember(tx, act, id, { email: world.emails[`crew_${role}`], role });
    }
    return id;
  });
}

/** Creates a passkey in the event of the target. The request deletes it. */
async function freshPasskey({ world, id }: Cell): Promise<number> {
  const events = new Map([
    [world.passkey, world.event],
    [world.siblingPasskey, world.siblingEvent],
    [world.foreignPasskey, world.foreignEvent],
  ]);
  const eventId = events.get(id);
  if (eventId === undefined) return id;
  return asSystem(world, async (tx, act) => (await createPasskey(tx, act, { eventId, passkey: freshCode() })).id);
}

async function freshImportedCode({ world, id }: Cell): Promise<number> {
  const code = `fresh${++counter}`;
  const { rows } = await world.pool.query<{ id: number }>(
    `insert into external_code (event_id, item_id, code, created_at) select event_id, id, $2, now() from item where id = $1 returning id`,
    [id, code],
  );
  return rows[0]?.id ?? 1;
}

/** Places an order for the first session. It names the session, because other rows add sessions to the event. */
async function newOrder({ pool }: World, eventId: number, itemId: number) {
  const { rows: found } = await pool.query<{ id: number }>('select min(id) as id from event_session where event_id = $1', [eventId]);
  return { eventId, sessionId: found[0]?.id ?? 0, items: [{ itemId, quantity: 1 }], buyer: { name: 'Ana', email: freshEmail() } };
}

/** Places an order for the first event. Returns the path of the order, with the secret of the order. */
async function freshOrder({ world }: Cell, rest = ''): Promise<string> {
  const order = await newOrder(world, world.event, world.item);
  const [placed] = await asSystem(world, (tx, act) => createOrders(tx, [{ act, order }]));
  if (!placed || placed instanceof Problem) throw new Error(`No order: ${placed?.message}`);
  return `/orders/${placed.id}${rest}?secret=${placed.secret}`;
}

async function freshPaidOrder(cell: Cell, rest: string): Promise<string> {
  const [, id, secret] = /(\d+)\?secret=(.*)/.exec(await freshOrder(cell)) ?? [];
  const { event: eventId, providers, config } = cell.world;
  const rules = { providers, paymentMs: config.paymentMs };
  await asSystem(cell.world, (tx, act) => payOrders(tx, [{ act, eventId, id: Number(id), secret, body: { method: 'card' } }], rules));
  return `/orders/${id}${rest}?secret=${secret}`;
}

/** Issues a ticket for the first event. Returns the path of the ticket, with the secret of the order. */
async function freshTicket(cell: Cell, picture: string): Promise<string> {
  const [, id = '', secret] = /(\d+)\?secret=(.*)/.exec(await freshPaidOrder(cell, '')) ?? [];
  const { rows } = await cell.world.pool.query<{ id: number }>('select id from ticket where order_id = $1', [id]);
  return `/tickets/${rows[0]?.id}/${picture}?orderId=${id}&secret=${secret}`;
}

async function freshMail({ config: { dataDir } }: World): Promise<number> {
  const message = {
    from: { name: '', address: 'a@test.test' },
    to: { name: '', address: 'b@test.test' },
    subject: 'Fresh',
    text: '',
    html: '',
  };
  const id = ++counter;
  await createMailboxMailer(join(dataDir, 'mailbox')).send({ ...message, id, messageId: `${id}@test.test`, pictures: [], at: noon });
  return id;
}

/** Places an order in the event of the target. It is approved immediately, because it is free. */
async function freshFreeOrder(cell: Cell): Promise<number> {
  return cell.target === 'missing' ? cell.world.missing : (await placeOrder(cell, 0)).id;
}

/** An item of the event of which there are no tickets. */
async function freshSoldOutItem(cell: Cell): Promise<number> {
  if (!exists(cell)) return cell.world.missing;
  return asSystem(cell.world, async (tx, act) => {
    const { id } = await createItem(tx, act, { eventId: cell.id, name: 'Sold out', quantity: 0 });
    await createValues(tx, act, id, { price: 5000, feeSale: 500, feeProducer: 0 });
    await createSalesPeriod(tx, act, id, salesPeriod);
    return id;
  });
}

/** An unconfirmed entry of the waiting list, and the token of its link. */
async function freshEntry(cell: Cell): Promise<{ id: number; token: string }> {
  if (!exists(cell)) return { id: cell.world.missing, token: 'missing' };
  const { rows: found } = await cell.world.pool.query<{ id: number }>(
    `with line as (insert into waiting_line (event_id, item_id) values ($1, $2) returning id)
     insert into waiting_entry (event_id, line_id, quantity, email, locale, status, created_at)
     select $1, id, 1, $3, 'en', 'unconfirmed', $4 from line returning id`,
    [cell.id, await freshSoldOutItem(cell), freshEmail(), noon],
  );
  const id = found[0]?.id ?? 0;
  return { id, token: await asSystem(cell.world, (tx) => createEntryLink(tx, { eventId: cell.id, id })) };
}

/** An entry with an open offer. Returns the token of its link. */
async function freshOffer(cell: Cell): Promise<string> {
  const { id, token } = await freshEntry(cell);
  if (!exists(cell)) return token;
  const order = await placeOrder(cell, 5000);
  await cell.world.pool.query(
    `update waiting_entry set status = 'offered', place = nextval('waiting_place'), confirmed_at = $3, offered_at = $3, order_id = $4
      where event_id = $1 and id = $2`,
    [cell.id, id, noon, order.id],
  );
  return token;
}

async function placeOrder({ world, id: eventId }: Cell, price: number): Promise<{ id: number; secret: string }> {
  const itemId = await asSystem(world, async (tx, act) => {
    const { id } = await createItem(tx, act, { eventId, name: 'Fresh' });
    await createValues(tx, act, id, { price, feeSale: 0, feeProducer: 0 });
    await createSalesPeriod(tx, act, id, salesPeriod);
    return id;
  });
  const order = await newOrder(world, eventId, itemId);
  const [placed] = await asSystem(world, (tx, act) => createOrders(tx, [{ act, order }]));
  if (!placed || placed instanceof Problem) throw new Error(`No order: ${placed?.message}`);
  return placed;
}

/** Adds a failed refund to a new order in the event of the target. Returns the path of the refund. */
async function freshFailedRefund(cell: Cell): Promise<string> {
  const orderId = await freshFreeOrder(cell);
  if (!exists(cell)) return `/orders/${orderId}/refunds/1`;
  const { rows: found } = await cell.world.pool.query<{ id: number }>(
    `with paid as (
       insert into payment (event_id, order_id, provider, method, amount, received, returned, status, reference, provider_id, created_at)
       values ($1, $2, 'sandbox', 'pix', 100, 100, 100, 'refunded', $3, $3, $4) returning event_id, order_id, id)
     insert into refund (event_id, order_id, payment_id, amount, reason, status, reference, failure, created_at, finished_at)
     select event_id, order_id, id, 100, 'late', 'failed', $3, 'broken', $4, $4 from paid returning id`,
    [cell.id, orderId, `fresh-${++counter}`, noon],
  );
  return `/orders/${orderId}/refunds/${found[0]?.id}`;
}

async function signedNotice({ world }: Cell): Promise<RowRequest> {
  const body = { id: `fresh-${++counter}`, reference: 'of-nothing', event: 'paid', amount: 100, at: noon.toISOString() };
  const { rows: found } = await world.pool.query<{ secret: string }>('select secret from sandbox_secret');
  const signature = signatureOf(found[0]?.secret ?? '', JSON.stringify(body));
  return { path: '/payments/sandbox/notices', body, headers: { 'x-sandbox-signature': signature } };
}

async function signedStripeNotice({ world }: Cell): Promise<RowRequest> {
  const body = harmlessEvent();
  const headers = { 'stripe-signature': stripeSignatureOf(JSON.stringify(body), world.now) };
  return { path: '/payments/stripe/notices', body, headers };
}

/** Returns the id of a producer that has an account of its own. */
async function freshPayout(world: World): Promise<number> {
  const payout = { provider: 'stripe', account: 'acct_producer' };
  await asSystem(world, (tx, act) => changePayout(tx, act, world.producer, payout));
  return world.producer;
}

/** Orders of the public need no admission while no event has a waiting room. */
const closeRooms = ({ pool }: World) => pool.query('update waiting_room set enabled = false');

/** Gives the event a new waiting room that is not open yet. */
async function withRoom({ world, id, target }: Cell): Promise<number> {
  await closeRooms(world);
  if (target === 'missing') return id;
  const opensAt = new Date(world.now.getTime() + 60_000).toISOString();
  await asSystem(world, (tx, act) => updateWaitingRoom(tx, act, id, { opensAt }));
  return id;
}

async function withTicket(cell: Cell): Promise<RowRequest> {
  const eventId = await withRoom({ ...cell, id: cell.world.event, target: 'own' });
  const [joined] = await asSystem(cell.world, (tx, act) => joinQueue(tx, [{ act, eventId }]));
  if (!joined || joined instanceof Problem) throw new Error(`No number: ${joined?.message}`);
  return { path: `/queue/${eventId}/place`, body: { ticket: joined.ticket } };
}

const smallPicture = pictureForm(png({ width: 64, height: 64 }));

/** Stores a row of a picture without files. */
async function insertPicture({ pool }: World): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(
    `insert into picture (id, width, height, widths, formats, color, used_at)
     values (md5('access rows'), 64, 64, '{64}', '{webp}', '#000000', now()) on conflict (id) do update set width = 64 returning id`,
  );
  return rows[0]?.id ?? '';
}

async function withPicture(world: World, table: 'event' | 'featured' | 'home_cover' | 'producer', id: number): Promise<number> {
  const condition = table === 'home_cover' ? '$2::bigint is not null' : 'id = $2';
  await world.pool.query(`update ${table} set picture_id = $1 where ${condition}`, [await insertPicture(world), id]);
  return id;
}

const scanOf = ({ now }: World) => ({ at: now.toISOString(), device: 'gate-1', nonce: `fresh${++counter}` });
/**
 * Creates an export that belongs to the caller, if the caller has an account. Every user who may see exports may see exports of this type.
 */
async function freshExport({ world, id: eventId, caller, target }: Cell, status = 'queued'): Promise<number> {
  if (target === 'missing') return world.missing;
  const userId = world.users[caller === 'anonymous' ? 'owner' : caller];
  return insertExport(world, { eventId, userId, status, type: 'guestlist', personal: false });
}

const policy = { ratePercent: 10, minimum: 0, taxDistribution: 100 };

/** The path of a policy that exists, to remove it. */
async function setPolicy(world: World, path: string): Promise<{ path: string }> {
  await world.call('PUT', path, { as: 'admin', body: policy });
  return { path };
}
const values = { price: 5000, feeSale: 500, feeProducer: 0 };
const salesPeriod = { appCategoryId: 1, start: '2026-02-01 10:00:00', finish: '2026-06-01 20:00:00', available: 100_000 };

export const rows: Record<string, Row> = {
  login: ({ world }) => ({ path: '/auth/login', body: { email: world.emails.stranger, password } }),
  refresh: async (cell) => ({ path: '/auth/refresh', body: { refreshToken: (await freshLogin(cell)).refreshToken } }),
  logout: async (cell) => ({ path: '/auth/logout', token: (await freshLogin(cell)).accessToken }),
  getMe: () => ({ path: '/auth/me' }),
  updateMe: () => ({ path: '/auth/me', body: { name: 'Renamed' } }),
  completeLogin: async ({ world }) => {
    const { id, recoveryCodes } = await freshUserWithFactor(world);
    const loginToken = await asSystem(world, (tx, { at }) => createOneTimeToken(tx, { userId: id, purpose: 'second_factor' }, at));
    return { path: '/auth/login/second-factor', body: { loginToken, code: recoveryCodes[0] } };
  },
  acceptInvitation: async ({ world }) => {
    const { id } = await asSystem(world, (tx, act) => createUser(tx, act, { email: freshEmail(), name: 'Fresh' }));
    const token = await asSystem(world, (tx, { at }) => createOneTimeToken(tx, { userId: id, purpose: 'invitation' }, at));
    return { path: '/auth/invitation', body: { token, password } };
  },
  requestPasswordReset: () => ({ path: '/auth/password/forgot', body: { email: freshEmail() } }),
  resetPassword: async ({ world }) => {
    const { id } = await freshUser(world);
    const token = await asSystem(world, (tx, { at }) => createOneTimeToken(tx, { userId: id, purpose: 'password_reset' }, at));
    return { path: '/auth/password/reset', body: { token, newPassword: password } };
  },
  listFactors: () => ({ path: '/auth/factors' }),
  createTotpFactor: async ({ world }) => ({
    path: '/auth/factors/totp',
    body: { password },
    token: (await freshUserSession(world)).accessToken,
  }),
  confirmTotpFactor: async ({ world }) => {
    const { accessToken } = await freshUserSession(world);
    const created = await world.call('POST', '/auth/factors/totp', { token: accessToken, body: { password } });
    return { path: '/auth/factors/totp/confirm', body: { code: totpCode(created.json().secret, world.now) }, token: accessToken };
  },
  startPasskeyFactor: async ({ world }) => ({
    path: '/auth/factors/webauthn/options',
    body: { password },
    token: (await freshUserSession(world)).accessToken,
  }),
  createPasskeyFactor: async ({ world }) => {
    const { accessToken } = await freshUserSession(world);
    const started = await world.call('POST', '/auth/factors/webauthn/options', { token: accessToken, body: { password } });
    const { registrationToken, options } = started.json();
    const credential = new Authenticator(new URL(world.config.publicUrl).origin).create(options);
    return { path: '/auth/factors/webauthn', body: { registrationToken, name: 'Fresh', credential }, token: accessToken };
  },
  removeFactor: async ({ world }) => {
    const { factorId, accessToken } = await freshUserWithFactor(world);
    return { path: `/auth/factors/${factorId}/remove`, body: { password }, token: accessToken };
  },
  renewRecoveryCodes: async ({ world }) => ({
    path: '/auth/factors/recovery-codes',
    body: { password },
    token: (await freshUserWithFactor(world)).accessToken,
  }),
  listSessions: () => ({ path: '/auth/sessions' }),
  revokeSession: async (cell) => ({ path: `/auth/sessions/${(await freshLogin(cell)).sessionId}` }),
  // Uses a new user, because the request ends the other sessions of the user.
  revokeOtherSessions: async ({ world }) => ({ path: '/auth/sessions', token: (await freshUserSession(world)).accessToken }),
  // Uses a new user, because the request ends the other sessions of the user.
  changePassword: async ({ world }) => ({
    path: '/auth/password',
    body: { currentPassword: password, newPassword: password },
    token: (await freshUserSession(world)).accessToken,
  }),
  createApiToken: () => ({ path: '/auth/tokens', body: { name: 'Mine', permissions: ['crew.read'] } }),
  listApiTokens: () => ({ path: '/auth/tokens' }),
  revokeApiToken: async (cell) => ({ path: `/auth/tokens/${(await freshToken(cell)).id}` }),
  createUser: () => ({ path: '/users', body: { email: freshEmail(), name: 'Fresh' } }),
  listUsers: () => ({ path: '/users' }),
  getUser: ({ world }) => ({ path: `/users/${world.users.stranger}` }),
  getUserRoles: ({ world }) => ({ path: `/users/${world.users.owner}/roles` }),
  updateUser: async ({ world }) => ({ path: `/users/${(await freshUser(world)).id}`, body: { name: 'Fresher' } }),
  createProducer: () => ({ path: '/producers', body: { name: 'Fresh', owner: { email: freshEmail() } } }),
  listProducers: () => ({ path: '/producers' }),
  getProducer: ({ id }) => ({ path: `/producers/${id}` }),
  updateProducer: ({ id }) => ({ path: `/producers/${id}`, body: { name: 'Renamed' } }),
  listMembers: ({ id }) => ({ path: `/producers/${id}/members` }),
  addMember: ({ id }) => ({ path: `/producers/${id}/members`, body: { email: freshEmail(), role: 'manager' } }),
  updateMember: async (cell) => ({ path: `/producers/${cell.id}/members/${await freshMember(cell)}`, body: { role: 'owner' } }),
  removeMember: async (cell) => ({ path: `/producers/${cell.id}/members/${await freshMember(cell)}` }),
  uploadLogo: ({ id }) => ({ path: `/producers/${id}/logo`, ...smallPicture }),
  deleteLogo: async ({ world, id }) => ({ path: `/producers/${await withPicture(world, 'producer', id)}/logo` }),
  createWebhook: async (cell) => ({ path: (await freshWebhook(cell)).replace(/\/\d+$/, ''), body: webhookBody }),
  listWebhooks: ({ id }) => ({ path: `/producers/${id}/webhooks` }),
  getWebhook: async (cell) => ({ path: await freshWebhook(cell) }),
  updateWebhook: async (cell) => ({ path: await freshWebhook(cell), body: { paused: true } }),
  deleteWebhook: async (cell) => ({ path: await freshWebhook(cell) }),
  rotateWebhookSecret: async (cell) => ({ path: `${await freshWebhook(cell)}/secret` }),
  replayWebhook: async (cell) => ({ path: `${await freshWebhook(cell)}/replay`, body: { from: noon.toISOString() } }),
  testWebhook: async (cell) => ({ path: `${await freshWebhook(cell)}/test` }),
  listDeliveries: async (cell) => ({ path: `${await freshWebhook(cell)}/deliveries` }),
  getDelivery: async (cell) => ({ path: await freshDelivery(cell) }),
  sendDeliveryAgain: async (cell) => ({ path: `${await freshDelivery(cell)}/again` }),
  listChanges: ({ id }) => ({ path: `/producers/${id}/changes` }),
  getCrew: ({ id }) => ({ path: `/event/${id}/crew` }),
  addCrewMember: ({ id }) => ({ path: `/event/${id}/crew`, body: { email: freshEmail(), role: 'sales_manager' } }),
  updateCrewMember: async (cell) => ({ path: `/event/${cell.id}/crew/${await freshCrewMember(cell)}`, body: { role: 'sales_manager' } }),
  getAttributes: ({ id }) => ({ path: `/event/${id}/attributes` }),
  updateAttributes: ({ id }) => ({ path: `/event/${id}/attributes`, body: { minimumAge: 18 } }),
  listCategories: () => ({ path: '/categories' }),
  createCategory: () => ({ path: '/categories', body: { slug: `new-${++counter}`, name: 'New' } }),
  updateCategory: async (cell) => ({ path: `/categories/${await freshCategory(cell)}`, body: { name: 'Renamed' } }),
  deleteCategory: async (cell) => ({ path: `/categories/${await freshCategory(cell)}` }),
  findEvent: () => ({ path: '/event?method=identify&link=first-event' }),
  getEvent: ({ id }) => ({ path: `/event/${id}` }),
  getEventTickets: ({ id }) => ({ path: `/event/${id}/tickets` }),
  getSessionTickets: async (cell) => ({ path: `/event/${cell.id}/session/${await freshSession(cell)}/tickets` }),
  getProducerProfile: ({ world }) => ({ path: `/producer/${world.producer}` }),
  listProducerEvents: ({ world }) => ({ path: `/producer/${world.producer}/events` }),
  listEvents: ({ id }) => ({ path: `/events?producerId=${id}` }),
  createEvent: ({ id }) => ({ path: '/event', body: { producerId: id, title: `New ${++counter}`, category: 'music', timezone: 'UTC' } }),
  updateEvent: ({ id }) => ({ path: `/event/${id}`, body: { saleEnabled: true } }),
  uploadPoster: ({ id }) => ({ path: `/event/${id}/poster`, ...smallPicture }),
  deletePoster: async ({ world, id }) => ({ path: `/event/${await withPicture(world, 'event', id)}/poster` }),
  publishEvent: async (cell) => ({ path: `/event/${await freshEvent(cell, false)}/publish` }),
  unpublishEvent: async (cell) => ({ path: `/event/${await freshEvent(cell, true)}/unpublish` }),
  cancelEvent: async (cell) => ({ path: `/event/${await freshEvent(cell, true)}/cancel` }),
  getCancellation: async (cell) => ({ path: `/event/${await insertCancellation(cell.world, await freshEvent(cell, true))}/cancellation` }),
  createSession: ({ id }) => ({ path: `/event/${id}/session`, body: session }),
  updateSession: async (cell) => ({ path: `/event/${cell.id}/session/${await freshSession(cell)}`, body: { name: 'Renamed' } }),
  duplicateSession: async (cell) => ({ path: `/event/${cell.id}/session/${await freshSession(cell)}/duplicate`, body: {} }),
  getChecklist: ({ id }) => ({ path: `/event/${id}/checklist` }),
  createPreview: ({ id }) => ({ path: `/event/${id}/preview`, body: {} }),
  duplicateEvent: ({ id }) => ({ path: `/event/${id}/duplicate`, body: {} }),
  duplicateItem: ({ id }) => ({ path: `/items/${id}/duplicate`, body: {} }),
  orderItems: async ({ world, id }) => {
    const items = await world.db.selectFrom('item').select('id').where('event_id', '=', id).where('archived', '=', false).execute();
    return { path: `/event/${id}/items/order`, body: { itemIds: [...items.map((item) => item.id), ...(items.length === 0 ? [1] : [])] } };
  },
  updateItems: async ({ world, id }) => {
    const item = await world.db.selectFrom('item').select('id').where('event_id', '=', id).where('archived', '=', false).executeTakeFirst();
    return { path: `/event/${id}/items`, body: { items: [{ id: item?.id ?? 1, quantity: 1_000 }] } };
  },
  deleteSession: async (cell) => ({ path: `/event/${cell.id}/session/${await freshSession(cell)}` }),
  listCategoryEvents: () => ({ path: '/music' }),
  getFeatured: () => ({ path: '/featured' }),
  listFeatured: () => ({ path: '/featured/entries' }),
  createFeatured: ({ world }) => ({ path: '/featured', body: { eventId: world.event } }),
  updateFeatured: async (cell) => ({ path: `/featured/${await freshFeatured(cell)}`, body: { position: 1 } }),
  deleteFeatured: async (cell) => ({ path: `/featured/${await freshFeatured(cell)}` }),
  uploadBannerImage: async (cell) => ({ path: `/featured/${await freshFeatured(cell)}/image`, ...smallPicture }),
  deleteBannerImage: async (cell) => ({ path: `/featured/${await withPicture(cell.world, 'featured', await freshFeatured(cell))}/image` }),
  getHomeSettings: () => ({ path: '/home/settings' }),
  getHomeSections: () => ({ path: '/home/sections' }),
  createSection: () => ({ path: '/home/sections', body: { title: `New ${++counter}` } }),
  updateSection: async (cell) => ({ path: `/home/sections/${await freshSection(cell)}`, body: { position: 1 } }),
  deleteSection: async (cell) => ({ path: `/home/sections/${await freshSection(cell)}` }),
  getHomeCover: () => ({ path: '/home/cover' }),
  uploadCoverImage: () => ({ path: '/home/cover/image', ...smallPicture }),
  deleteCoverImage: async ({ world }) => {
    await world.pool.query('insert into home_cover default values on conflict do nothing');
    await withPicture(world, 'home_cover', 1);
    return { path: '/home/cover/image' };
  },
  setCover: () => ({ path: '/home/cover', body: { title: 'Cover' } }),
  getQueue: async (cell) => ({ path: `/queue/${await withRoom({ ...cell, id: cell.world.event, target: 'own' })}` }),
  joinQueue: async (cell) => ({ path: `/queue/${await withRoom({ ...cell, id: cell.world.event, target: 'own' })}/numbers` }),
  claimPlace: withTicket,
  getWaitingRoom: ({ id }) => ({ path: `/event/${id}/waiting-room` }),
  updateWaitingRoom: async (cell) => ({ path: `/event/${await withRoom(cell)}/waiting-room`, body: { minutes: 5 } }),
  openWaitingRoom: async (cell) => ({ path: `/event/${await withRoom(cell)}/waiting-room/open` }),
  deleteWaitingRoom: async (cell) => ({ path: `/event/${await withRoom(cell)}/waiting-room` }),
  createOrder: async ({ world }) => {
    await closeRooms(world);
    return { path: '/orders', body: await newOrder(world, world.event, world.item) };
  },
  getOrder: async (cell) => ({ path: await freshOrder(cell) }),
  setBuyer: async (cell) => ({ path: await freshOrder(cell, '/buyer'), body: { name: 'Bia Lima', email: 'bia@test.test' } }),
  payOrder: async (cell) => ({ path: await freshOrder(cell, '/payment'), body: { method: 'card' } }),
  cancelOrder: async (cell) => ({ path: await freshOrder(cell, '/cancel') }),
  extendOrder: async (cell) => ({ path: await freshOrder(cell, '/extend') }),
  getOrderTickets: async (cell) => ({ path: await freshOrder(cell, '/tickets') }),
  getTicketSvg: async (cell) => ({ path: await freshTicket(cell, 'qr.svg') }),
  getTicketPng: async (cell) => ({ path: await freshTicket(cell, 'qr.png') }),
  getTicketsPdf: async (cell) => ({ path: await freshPaidOrder(cell, '/tickets.pdf') }),
  getOrderCalendar: async (cell) => ({ path: await freshPaidOrder(cell, '/calendar.ics') }),
  refundOrder: async (cell) => ({ path: `/orders/${await freshFreeOrder(cell)}/refund` }),
  openOrderSession: async (cell) => {
    const { id, secret } = await placeOrder(cell, 0);
    return { path: `/orders/${id}/session?secret=${secret}` };
  },
  closeOrderSession: () => ({ path: '/orders/1/session' }),
  changeBuyerEmail: async (cell) => ({ path: `/orders/${await freshFreeOrder(cell)}/buyer/email`, body: { email: freshEmail() } }),
  createOrderNote: async (cell) => ({ path: `/orders/${await freshFreeOrder(cell)}/notes`, body: { text: 'Fresh' } }),
  listOrderNotes: async (cell) => ({ path: `/orders/${await freshFreeOrder(cell)}/notes` }),
  getOrderTimeline: async (cell) => ({ path: `/orders/${await freshFreeOrder(cell)}/timeline` }),
  getOrderDetails: async (cell) => ({ path: `/orders/${await freshFreeOrder(cell)}/details` }),
  revokeOrderLinks: async (cell) => ({ path: `/orders/${await freshFreeOrder(cell)}/revoke-links` }),
  anonymizeOrder: async (cell) => ({ path: `/orders/${await freshFreeOrder(cell)}/anonymize` }),
  resendTickets: async (cell) => ({ path: await freshPaidOrder(cell, '/tickets/mail') }),
  listMailbox: () => ({ path: '/mailbox' }),
  getMailboxMail: async ({ world }) => ({ path: `/mailbox/${await freshMail(world)}` }),
  receiveSandboxNotice: signedNotice,
  receiveNotice: signedStripeNotice,
  listPaymentMethods: ({ id }) => ({ path: `/payment-methods?eventId=${id}` }),
  setPayout: ({ world }) => ({ path: `/producers/${world.producer}/payout`, body: { provider: 'stripe', account: 'acct_producer' } }),
  deletePayout: async ({ world }) => ({ path: `/producers/${await freshPayout(world)}/payout` }),
  getSandbox: () => ({ path: '/payments/sandbox' }),
  listOrders: ({ id }) => ({ path: `/event/${id}/orders` }),
  joinWaitingList: async (cell) => {
    const itemId = await freshSoldOutItem(cell);
    const { sessionId } = await newOrder(cell.world, cell.id, itemId);
    return { path: `/event/${cell.id}/waiting-list`, body: { itemId, sessionId: sessionId || 1, quantity: 1, email: freshEmail() } };
  },
  getWaitingListEntry: async (cell) => {
    const { token } = await freshEntry(cell);
    return { path: `/event/${cell.id}/waiting-list/entry?token=${token}` };
  },
  confirmWaitingListEntry: async (cell) => ({
    path: `/event/${cell.id}/waiting-list/entry/confirm`,
    body: { token: (await freshEntry(cell)).token },
  }),
  leaveWaitingList: async (cell) => ({
    path: `/event/${cell.id}/waiting-list/entry/leave`,
    body: { token: (await freshEntry(cell)).token },
  }),
  openWaitingListOffer: async (cell) => ({
    path: `/event/${cell.id}/waiting-list/entry/order`,
    body: { token: await freshOffer(cell) },
  }),
  listWaitingList: ({ id }) => ({ path: `/event/${id}/waiting-list` }),
  getWaitingListSummary: ({ id }) => ({ path: `/event/${id}/waiting-list/summary` }),
  removeWaitingListEntry: async (cell) => ({ path: `/event/${cell.id}/waiting-list/${(await freshEntry(cell)).id}` }),
  listRefunds: ({ id }) => ({ path: `/event/${id}/refunds` }),
  retryRefund: async (cell) => ({ path: `${await freshFailedRefund(cell)}/retry` }),
  settleRefund: async (cell) => ({ path: `${await freshFailedRefund(cell)}/settle`, body: { note: 'Paid by bank transfer' } }),
  createDevice: ({ id }) => ({ path: `/event/${id}/devices`, body: { name: 'Fresh' } }),
  listDevices: ({ id }) => ({ path: `/event/${id}/devices` }),
  revokeDevice: async (cell) => ({ path: `/event/${cell.id}/devices/${await freshDevice(cell)}` }),
  searchGuests: ({ id }) => ({ path: `/event/${id}/checkins/search?q=ana` }),
  getCounters: ({ id }) => ({ path: `/event/${id}/checkins/counters` }),
  getDoor: ({ id }) => ({ path: `/event/${id}/door` }),
  makeCheckins: ({ id, world }) => ({ path: `/event/${id}/checkins`, body: { entries: [{ code: 'ABC', ...scanOf(world) }] } }),
  undoCheckins: ({ id, world }) => ({ path: `/event/${id}/checkins/undo`, body: { entries: [{ undoes: 'scan', ...scanOf(world) }] } }),
  listCheckins: ({ id }) => ({ path: `/event/${id}/checkins` }),
  getManifest: ({ id }) => ({ path: `/event/${id}/checkins/manifest` }),
  requestExport: ({ id }) => ({
    path: `/event/${id}/export`,
    body: { type: 'guestlist', filters: [{ name: 'term', value: freshCode() }] },
  }),
  listExports: ({ id }) => ({ path: `/event/${id}/exports` }),
  getExport: async (cell) => ({ path: `/exports/${await freshExport(cell)}` }),
  watchExport: async (cell) => ({ path: `/exports/${await freshExport(cell, 'cancelled')}/events` }),
  cancelExport: async (cell) => ({ path: `/exports/${await freshExport(cell)}/cancel` }),
  getExportFile: async ({ world }) => ({ path: (await linkOfFile(world)).replace('/v1', '') }),
  getTax: ({ id }) => ({ path: `/tax?eventId=${id}&price=1000` }),
  getProducerTaxPolicy: ({ id }) => ({ path: `/producers/${id}/tax-policy` }),
  getEventTaxPolicy: ({ id }) => ({ path: `/event/${id}/tax-policy` }),
  listTaxPolicies: () => ({ path: '/tax-policies' }),
  setProducerTaxPolicy: ({ world }) => ({ path: `/producers/${world.producer}/tax-policy`, body: policy }),
  setEventTaxPolicy: ({ world }) => ({ path: `/event/${world.event}/tax-policy`, body: policy }),
  removeProducerTaxPolicy: ({ world }) => setPolicy(world, `/producers/${world.producer}/tax-policy`),
  removeEventTaxPolicy: ({ world }) => setPolicy(world, `/event/${world.event}/tax-policy`),
  listTypes: () => ({ path: '/types' }),
  listItems: ({ id }) => ({ path: `/items?eventId=${id}` }),
  getItem: ({ id }) => ({ path: `/items/${id}` }),
  createItem: ({ id }) => ({ path: '/items', body: { eventId: id, name: 'Fresh' } }),
  updateItem: ({ id }) => ({ path: `/items/${id}`, body: { name: 'Renamed' } }),
  createAttribute: ({ id }) => ({ path: `/items/${id}/attributes`, body: { key: `fresh${++counter}`, value: 'x', type: 'string' } }),
  updateAttribute: ({ id }) => ({ path: `/items/${id}/attributes`, body: { key: 'maximum', value: 5, type: 'integer' } }),
  deleteAttribute: async (cell) => ({ path: `/items/${cell.id}/attributes/${await freshAttribute(cell)}` }),
  createSalesPeriod: ({ id }) => ({ path: `/items/${id}/sales-period`, body: { ...salesPeriod, appCategoryId: 100 + ++counter } }),
  updateSalesPeriod: ({ id }) => ({ path: `/items/${id}/sales-period`, body: salesPeriod }),
  deleteSalesPeriod: async (cell) => ({ path: `/items/${cell.id}/sales-period/${await freshSalesPeriod(cell)}` }),
  createValues: async (cell) => ({ path: `/items/${await freshItem(cell)}/values`, body: values }),
  updateValues: ({ id }) => ({ path: `/items/${id}/values`, body: values }),
  listTriggers: ({ id }) => ({ path: `/items/${id}/triggers` }),
  replaceTriggers: ({ id }) => ({ path: `/items/${id}/triggers`, body: { triggers: [] } }),
  listPasskeys: ({ id }) => ({ path: `/passkeys?eventId=${id}` }),
  getPasskey: ({ id }) => ({ path: `/passkeys/${id}` }),
  createPasskey: ({ id }) => ({ path: '/passkeys', body: { eventId: id, passkey: freshCode() } }),
  updatePasskey: ({ id }) => ({ path: `/passkeys/${id}`, body: { limit: 10 } }),
  deletePasskey: async (cell) => ({ path: `/passkeys/${await freshPasskey(cell)}` }),
  replacePasskeyItems: ({ id }) => ({ path: `/passkeys/${id}/items`, body: { itemIds: [] } }),
  createPasskeyBatch: ({ id }) => ({ path: `/event/${id}/passkeys`, body: { codes: [freshCode(), freshCode()] } }),
  importCodes: ({ id }) => ({ path: `/events/${id}/codes?createItems=true`, ...csvForm(`code,item\nfresh${++counter},Imported\n`) }),
  listCodes: ({ id }) => ({ path: `/items/${id}/codes` }),
  deleteCodes: ({ id }) => ({ path: `/events/${id}/codes?status=used` }),
  deleteCode: async (cell) => ({ path: `/items/${cell.id}/codes/${await freshImportedCode(cell)}` }),
  getSystemHealth: () => ({ path: '/system/health' }),
  getDashboard: ({ id }) => ({ path: `/event/${id}/dashboard` }),
  getBordero: ({ id }) => ({ path: `/event/${id}/bordero` }),
  getBorderoPdf: ({ id }) => ({ path: `/event/${id}/bordero.pdf` }),
  getGuestlist: ({ id }) => ({ path: `/event/${id}/guestlist?method=report` }),
  removeCrewMember: async (cell) => ({ path: `/event/${cell.id}/crew/${await freshCrewMember(cell)}` }),
};
