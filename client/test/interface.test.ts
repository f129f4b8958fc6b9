import { createHmac } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { createOneTimeToken } from '../../src/accounts/one-time-tokens.ts';
import { createMailer } from '../../src/platform/mail/create-mailer.ts';
import { sendMail } from '../../src/platform/mail/send-mail.ts';
import { inTransaction } from '../../src/postgres/transaction.ts';
import { mailRenderersOf } from '../../src/worker/mail-renderers.ts';
import { Authenticator, totpCode } from '../../test/authenticator.ts';
import { exportContextOf, runExport } from '../../test/exports.ts';
import { png } from '../../test/pictures.ts';
import { harmlessEvent, signatureOf, stripeSettings } from '../../test/stripe/settings.ts';
import { password } from '../../test/world.ts';
import { operations } from '../build/describe.ts';
import { type Client, etagOf, isProblem, outcome, solveChallenge } from '../src/index.ts';
import { useService } from './service.ts';

const service = useService({ ...stripeSettings, PAYMENTS: 'sandbox,cash,stripe' });
const { world } = service;
let anyone: Client;
let owner: Client;
let admin: Client;

beforeAll(() => {
  anyone = service.anyone();
  owner = service.as('owner');
  admin = service.as('admin');
});

/** The id of the only session of the first event. */
async function sessionId(): Promise<number> {
  const { sessions } = await anyone.events.get({ id: world.event });
  return sessions[0]?.id ?? 0;
}

const picture = png({ width: 64, height: 64 });

const freshItem = () => owner.items.create({ eventId: world.event, name: 'Balcony', quantity: 50 });

const period = { appCategoryId: 1, start: '2026-02-01 10:00:00', finish: '2026-06-01 20:00:00', available: 40 };
const fees = { price: 5000, feeSale: 500, feeProducer: 0 };

async function itemOnSale(): Promise<number> {
  const { id } = await freshItem();
  await owner.items.values.create({ id, ...fees });
  await owner.items.salesPeriods.create({ id, ...period });
  return id;
}

const buyer = { name: 'Ana Souza', email: 'ana@test.test' };

describe('operations of the event group', () => {
  it('events.identify sends link, fields and method to GET /event', async () => {
    const event = await anyone.events.identify({ link: 'first-event', fields: 'id,title' });
    expect(event).toEqual({ id: world.event, title: 'first-event' });
    expect(service.lastRequest()).toBe('GET /event?link=first-event&fields=id,title&method=identify');
  });

  it('events.identify sends a query of the caller instead of link, fields and method', async () => {
    await anyone.events.identify({ query: { method: 'identify', link: world.event, lang: 'pt' } });
    expect(service.lastRequest()).toBe(`GET /event?method=identify&link=${world.event}&lang=pt`);
  });

  it('events.get takes the id as a number or as text, and sends an additional query', async () => {
    expect((await anyone.events.get({ id: world.event })).link).toBe('first-event');
    expect(await anyone.events.get({ id: String(world.event), fields: ['id', 'link'] }, { query: { from: 'newsletter' } })).toEqual({
      id: world.event,
      link: 'first-event',
    });
    expect(service.lastRequest()).toBe(`GET /event/${world.event}?fields=id,link&from=newsletter`);
  });

  it('events.tickets sends GET /event/{id}/tickets and returns the items on sale', async () => {
    const { data } = await anyone.events.tickets({ id: world.event, appCategoryId: 1 });
    expect(data.flatMap(({ tickets }) => tickets.map(({ id }) => id))).toContain(world.item);
  });

  it('events.sessionTickets sends GET /event/{id}/session/{sessionId}/tickets and returns the items of one session', async () => {
    const { data } = await anyone.events.sessionTickets({ id: world.event, sessionId: await sessionId() });
    expect(data.length).toBeGreaterThan(0);
  });

  it('events.crew sends GET /event/{id}/crew and returns the crew', async () => {
    const { team } = await owner.events.crew({ id: world.event });
    expect(team.map(({ role }) => role)).toContain('entrance_manager');
  });

  it('events.attributes sends GET /event/{id}/attributes and returns the requested attributes', async () => {
    await owner.events.setAttributes({ id: world.event, body: { minimumAge: 18, parking: true } });
    expect(await anyone.events.attributes({ id: world.event, filters: 'minimumAge' })).toEqual({ minimumAge: 18 });
  });

  it('events.uploadPoster and producers.uploadLogo send a picture and return its addresses', async () => {
    const { src } = await owner.events.uploadPoster({ id: world.event, file: picture });
    expect((await anyone.events.get({ id: world.event })).poster).toBe(src);
    await owner.events.deletePoster({ id: world.event });
    expect((await owner.producers.uploadLogo({ id: world.producer, file: picture })).width).toBe(64);
    await owner.producers.deleteLogo({ id: world.producer });
  });

  it('home.featured sends GET /featured and returns events or banners', async () => {
    const image = 'https://images.example.com/one.jpg';
    const shown = await admin.home.createFeatured({ eventId: world.event, image });
    const events = await anyone.home.featured({ state: 'SP' });
    expect(events.data[0]?.title).toBe('first-event');
    const banners = await anyone.home.featured({ method: 'banner', state: 'SP' });
    expect(service.lastRequest()).toBe('GET /featured?method=banner&state=SP');
    expect(banners.data[0]?.image).toBe(image);
    expect((await admin.home.listFeatured()).data).toEqual([shown]);
    expect((await admin.home.updateFeatured({ id: shown.id, position: 3 })).position).toBe(3);
    expect((await admin.home.uploadBannerImage({ id: shown.id, file: picture })).width).toBe(64);
    await admin.home.deleteBannerImage({ id: shown.id });
    await admin.home.deleteFeatured({ id: shown.id });
  });

  it('home.sections and the deprecated home.getSections send GET /home/sections', async () => {
    const section = await admin.home.createSection({ title: 'This week', eventIds: [world.event] });
    const { data } = await anyone.home.sections();
    expect(data[0]?.events[0]?.id).toBe(world.event);
    const { getSections } = anyone.home;
    expect(await getSections()).toEqual({ data, nextCursor: null });
    expect(service.lastRequest()).toBe('GET /home/sections');
    await admin.home.updateSection({ id: section.id, title: 'Next week' });
    await admin.home.deleteSection({ id: section.id });
  });

  it('home.cover sends GET /home/cover and returns the cover', async () => {
    expect((await admin.home.setCover({ title: 'Summer' })).title).toBe('Summer');
    expect((await anyone.home.cover()).title).toBe('Summer');
    expect((await admin.home.settings()).cover.title).toBe('Summer');
    const { src } = await admin.home.uploadCoverImage({ file: picture });
    expect((await anyone.home.cover()).image).toBe(src);
    await admin.home.deleteCoverImage();
  });

  it('categories.events sends GET /{category} and returns the events of the category', async () => {
    const { data } = await anyone.categories.events({ category: 'music', state: 'SP', fields: ['id'] });
    expect(data).toContainEqual({ id: world.event });
    const ids: number[] = [];
    for await (const { id } of anyone.categories.eventsAll({ category: 'music', pageSize: 1 })) ids.push(id);
    expect(ids).toEqual(expect.arrayContaining([world.event, world.siblingEvent, world.foreignEvent]));
  });
});

describe('operations of the event group: exports and reports', () => {
  const requested = (body: object) => expect.objectContaining(body) as unknown;

  it('exports.request sends POST /event/{eventId}/export and returns the export', async () => {
    const filters = [{ name: 'term', value: 'ana' }];
    expect(await owner.exports.request({ eventId: world.event, type: 'guestlist', format: 'xlsx', filters })).toEqual(
      requested({ type: 'guestlist', format: 'xlsx', filters, status: 'queued' }),
    );
    expect(service.lastRequest()).toBe(`POST /event/${world.event}/export`);
  });

  it('exports.requestPasskeysReport sends POST /event/{eventId}/export with the defaults for passkeys', async () => {
    const defaults = { type: 'passkey', format: 'csv', filters: [{ status: 'approved' }] };
    expect(await owner.exports.requestPasskeysReport({ eventId: world.event })).toEqual(requested(defaults));
    expect(await owner.exports.requestPasskeysReport({ eventId: world.event, filters: [{ status: 'all' }] })).toEqual(
      requested({ ...defaults, filters: [{ status: 'all' }] }),
    );
  });

  it('exports.requestExportList sends POST /event/{eventId}/export with the defaults for transactions', async () => {
    const defaults = { type: 'transactions', format: 'csv', filters: [] };
    expect(await owner.exports.requestExportList({ eventId: world.event })).toEqual(requested(defaults));
    expect(await owner.exports.requestExportList({ eventId: world.event, format: 'xlsx' })).toEqual(
      requested({ ...defaults, format: 'xlsx' }),
    );
  });

  it('exports.watch ends when the export is ready, and exports.download returns its file', async () => {
    const { id } = await owner.exports.request({ eventId: world.event, filters: [{ name: 'term', value: 'watched' }] });
    const states: string[] = [];
    for await (const { status } of owner.exports.watch({ id })) {
      if (states.length === 0) await runExport(exportContextOf(world), id);
      states.push(status);
    }
    expect([states[0], states.at(-1)]).toEqual(['queued', 'ready']);
    const ready = await owner.exports.get({ id });
    const file = await anyone.exports.download(ready);
    expect(file.headers.get('content-disposition')).toContain('attachment');
    expect((await file.arrayBuffer()).byteLength).toBe(ready.bytes);
    const part = await anyone.exports.download(ready, { headers: { range: 'bytes=0-9' } });
    expect([part.status, (await part.text()).length]).toEqual([206, 10]);
    expect(await outcome(anyone.exports.download({ id, signature: 'forged' }))).toMatchObject({ ok: false, problem: { status: 404 } });
  });

  it('exports can be listed and cancelled', async () => {
    const { id } = await owner.exports.request({ eventId: world.event, filters: [{ name: 'term', value: 'cancelled' }] });
    expect((await owner.exports.cancel({ id })).status).toBe('cancelled');
    expect((await owner.exports.list({ eventId: world.event, status: 'cancelled' })).data[0]?.id).toBe(id);
    for await (const { eventId } of owner.exports.listAll({ eventId: world.event })) expect(eventId).toBe(world.event);
  });

  it('reports.entry sends GET /event/{eventId}/guestlist and returns the entry report of the event or of one session', async () => {
    expect((await owner.reports.entry({ eventId: world.event })).sessionId).toBeNull();
    expect(service.lastRequest()).toBe(`GET /event/${world.event}/guestlist?method=report`);
    const session = await sessionId();
    expect((await owner.reports.entry({ eventId: world.event, sessionId: session })).sessionId).toBe(session);
    expect(service.lastRequest()).toBe(`GET /event/${world.event}/guestlist?method=report&sessionId=${session}`);
  });

  it('reports.guests sends GET /event/{eventId}/guestlist and returns the guests', async () => {
    const { data } = await owner.reports.guests({ eventId: world.event, status: 'unchecked' });
    const names: unknown[] = [];
    for await (const { name } of owner.reports.guestsAll({ eventId: world.event, status: 'unchecked' })) names.push(name);
    expect(names.slice(0, data.length)).toEqual(data.map(({ name }) => name));
  });

  it('reports.dashboard sends GET /event/{id}/dashboard and returns the figures', async () => {
    expect((await owner.reports.dashboard({ id: world.event, by: 'day' })).sales.by).toBe('day');
    expect(service.lastRequest()).toBe(`GET /event/${world.event}/dashboard?by=day`);
  });

  it('reports.bordero sends GET /event/{eventId}/bordero and returns the report', async () => {
    expect((await owner.reports.bordero({ eventId: world.event })).hash).toMatch(/^[0-9a-f]{64}$/);
    expect(service.lastRequest()).toBe(`GET /event/${world.event}/bordero`);
    const pdf = await owner.reports.borderoPdf({ eventId: world.event, locale: 'en' });
    expect(pdf.headers.get('content-type')).toBe('application/pdf');
  });
});

describe('operations of the ticket group', () => {
  it('items.types sends GET /types and returns the types of items', async () => {
    expect((await owner.items.types()).data.map(({ id }) => id)).toContain('passport');
  });

  it('items.list returns one page of GET /items, and items.listAll iterates over all pages', async () => {
    const page = await owner.items.list({ eventId: world.event, pageSize: 1, count: true });
    expect(page.data).toHaveLength(1);
    for (let made = 0; made < 3; made++) await freshItem();
    const before = service.sent.length;
    const ids: number[] = [];
    for await (const item of owner.items.listAll({ eventId: world.event, pageSize: 2 })) ids.push(item.id);
    expect(new Set(ids).size).toBe((page.total ?? 0) + 3);
    expect(service.sent.length - before).toBe(Math.ceil(ids.length / 2));
  });

  it('items.get sends GET /items/{id} and returns the item', async () => {
    expect((await owner.items.get({ id: world.item })).attributes[0]).toEqual({ key: 'maximum', value: 6, type: 'integer' });
  });

  it('items.create sends POST /items and returns the new item', async () => {
    expect((await freshItem()).name).toBe('Balcony');
    expect(service.lastRequest()).toBe('POST /items');
  });

  it('items.update sends PUT /items/{id} and returns the changed item', async () => {
    const { id } = await freshItem();
    expect((await owner.items.update({ id, name: 'Stalls', quantity: null })).quantity).toBeNull();
  });

  it('items.remove and items.restore send PUT /items/{id}, and archive and restore the item', async () => {
    const { id } = await freshItem();
    expect((await owner.items.remove({ id })).archived).toBe(true);
    expect(service.lastRequest()).toBe(`PUT /items/${id}`);
    expect((await owner.items.restore({ id })).archived).toBe(false);
  });

  it('items.attributes creates, updates and deletes an attribute of an item', async () => {
    const { id } = await freshItem();
    expect(await owner.items.attributes.create({ id, key: 'maximum', value: 4, type: 'integer' })).toMatchObject({ value: 4 });
    expect(await owner.items.attributes.update({ id, key: 'maximum', value: '8', type: 'integer' })).toMatchObject({ value: 8 });
    expect(await owner.items.attributes.delete({ id, key: 'maximum' })).toBeUndefined();
  });

  it('items.salesPeriods creates, updates and deletes a sales period of an item', async () => {
    const { id } = await freshItem();
    expect(await owner.items.salesPeriods.create({ id, ...period })).toMatchObject({ available: 40, sold: 0 });
    expect(await owner.items.salesPeriods.update({ id, appCategoryId: 1, available: 30 })).toMatchObject({ available: 30 });
    expect(await owner.items.salesPeriods.delete({ id, appCategoryId: 1 })).toBeUndefined();
  });

  it('items.values creates and updates the values of an item', async () => {
    const { id } = await freshItem();
    expect((await owner.items.values.create({ id, ...fees })).finalPrice).toBe(5500);
    expect((await owner.items.values.update({ id, price: 6000 })).finalPrice).toBe(6500);
  });

  it('items.triggers replaces and lists the triggers of an item', async () => {
    const [first, second] = [await freshItem(), await freshItem()];
    const triggers = [{ on: 'soldout', action: 'open', targetItemId: second.id } as const];
    const { data } = await owner.items.triggers.replace({ id: first.id, triggers });
    expect((await owner.items.triggers.list({ id: first.id })).data).toEqual(data);
  });

  it('tax.get returns the fees for a price, by the policy that tax.setProducerPolicy or tax.setEventPolicy has set', async () => {
    expect(await owner.tax.get({ eventId: world.event, price: 8000, taxDistribution: 50 })).toMatchObject({
      feeSale: 400,
      feeProducer: 400,
    });
    const policy = { ratePercent: 8.5, minimum: 250, taxDistribution: 100 };
    expect(await admin.tax.setProducerPolicy({ id: world.producer, ...policy })).toEqual(policy);
    expect(await admin.tax.setEventPolicy({ id: world.event, ...policy })).toEqual(policy);
    expect(await owner.tax.producerPolicy({ id: world.producer })).toEqual({ ...policy, source: 'producer' });
    expect(await owner.tax.eventPolicy({ id: world.event })).toEqual({ ...policy, source: 'event' });
    expect((await admin.tax.policies({})).data).toMatchObject([
      { ...policy, event: null },
      { ...policy, event: { id: world.event } },
    ]);
    for await (const { ratePercent } of admin.tax.policiesAll({ pageSize: 1 })) expect(ratePercent).toBe(policy.ratePercent);
    expect((await owner.tax.get({ producerId: world.producer, price: 8000 })).rule.source).toBe('producer');
    await admin.tax.removeEventPolicy({ id: world.event });
    await admin.tax.removeProducerPolicy({ id: world.producer });
    expect((await admin.tax.policies({})).data).toEqual([]);
  });

  it('waitingList joins the list of a sold-out item, and lists, counts and removes its entries', async () => {
    const { id: itemId } = await owner.items.create({ eventId: world.event, name: 'Sold out', quantity: 0 });
    await owner.items.values.create({ id: itemId, ...fees });
    await owner.items.salesPeriods.create({ id: itemId, ...period });
    const wish = { id: world.event, itemId, quantity: 2, email: 'waiting@test.test' };
    expect(await anyone.waitingList.join(wish)).toEqual({ ahead: 0 });
    expect(service.lastRequest()).toBe(`POST /event/${world.event}/waiting-list`);
    for (const call of [anyone.waitingList.entry, anyone.waitingList.confirm, anyone.waitingList.leave])
      expect(await outcome(call({ id: world.event, token: 'unknown' }))).toMatchObject({ ok: false, problem: { status: 404 } });
    const opened = await outcome(anyone.waitingList.openOffer({ id: world.event, token: 'unknown' }));
    expect(opened).toMatchObject({ ok: false, problem: { status: 404 } });
    const [entry] = (await owner.waitingList.list({ id: world.event, itemId })).data;
    expect(entry).toMatchObject({ email: 'waiting@test.test', status: 'unconfirmed' });
    for await (const { quantity } of owner.waitingList.listAll({ id: world.event, itemId })) expect(quantity).toBe(2);
    expect((await owner.waitingList.summary({ id: world.event })).total.waiting).toBe(0);
    expect(await owner.waitingList.remove({ id: world.event, entryId: entry?.id ?? 0 })).toBeUndefined();
  });

  it('waitingRoom sets up the waiting room of an event, and queue takes a number and claims its place', async () => {
    const id = world.event;
    const opensAt = new Date(world.now.getTime() + 3_600_000).toISOString();
    expect(await owner.waitingRoom.update({ id, opensAt, admitPerMinute: 600 })).toMatchObject({ state: 'before' });
    const { ticket } = await anyone.queue.join({ id });
    expect(service.lastRequest()).toBe(`POST /queue/${id}/numbers`);
    expect((await anyone.queue.get({ id })).state).toBe('before');
    expect(await owner.waitingRoom.open({ id })).toMatchObject({ state: 'open' });
    expect(await anyone.queue.claim({ id, ticket })).toMatchObject({ place: 1 });
    expect((await owner.waitingRoom.get({ id })).state).toBe('open');
    // Without a waiting room the other tests can order.
    expect(await owner.waitingRoom.delete({ id })).toBeUndefined();
  });

  it('passkeys.list returns one page of GET /passkeys, and passkeys.listAll iterates over all pages', async () => {
    const { data } = await owner.passkeys.list({ eventId: world.event });
    expect(data.map(({ id }) => id)).toContain(world.passkey);
    for await (const { eventId } of owner.passkeys.listAll({ eventId: world.event })) expect(eventId).toBe(world.event);
  });

  it('passkeys can be created, read, updated and deleted, and the option payload is the body of the DELETE request', async () => {
    const { id } = await owner.passkeys.create({ eventId: world.event, passkey: 'FRIENDS', start: '2026-03-02', finish: '2026-05-01' });
    expect((await owner.passkeys.get({ id })).passkey).toBe('FRIENDS');
    expect((await owner.passkeys.update({ id, finish: null, limit: 3 })).limit).toBe(3);
    expect(await owner.passkeys.delete({ id }, { payload: {}, query: { source: 'console' } })).toBeUndefined();
    expect(service.lastRequest()).toBe(`DELETE /passkeys/${id}?source=console`);
    expect(service.sent.at(-1)?.headers.get('content-type')).toBe('application/json');
  });

  it('passkeys.setItems sends PUT /passkeys/{id}/items and returns the new items', async () => {
    expect((await owner.passkeys.setItems({ id: world.passkey, itemIds: [world.item] })).itemIds).toEqual([world.item]);
    await owner.passkeys.setItems({ id: world.passkey, itemIds: [] });
  });

  it('passkeys.createBatch sends POST /event/{eventId}/passkeys and returns the new passkeys', async () => {
    const batch = await owner.passkeys.createBatch({ eventId: world.event, codes: ['VIP-1', 'VIP-2'], itemIds: [world.item], limit: 2 });
    expect(batch.created).toBe(2);
  });

  it('codes.upload sends a form to POST /events/{eventId}/codes, accepts text and blobs, and lets the platform set the content type', async () => {
    const file = 'code;item\nPX-1;Partner\nPX-2;Partner\n';
    expect((await owner.codes.upload({ eventId: world.event, file, createItems: true, dryRun: true })).imported).toBe(2);
    expect(service.lastRequest()).toBe(`POST /events/${world.event}/codes?dryRun=true&createItems=true`);
    const { headers } = service.sent.at(-1) ?? {};
    expect([headers?.get('accept'), headers?.get('content-type')]).toEqual(['*/*', null]);
    const { items } = await owner.codes.upload({ eventId: world.event, file: new Blob([file]), filename: 'codes.csv', createItems: true });
    expect(items).toMatchObject([{ name: 'Partner', imported: 2 }]);
  });

  it('codes.list returns the codes of an item, and codes.deleteOne and codes.delete delete codes', async () => {
    const file = new TextEncoder().encode('code,item\nPY-1,Agency\nPY-2,Agency\n');
    const { items } = await owner.codes.upload({ eventId: world.event, file, createItems: true });
    const itemId = items[0]?.itemId ?? 0;
    const { data } = await owner.codes.list({ itemId, status: 'available' });
    const codes: string[] = [];
    for await (const { code } of owner.codes.listAll({ itemId, pageSize: 1 })) codes.push(code);
    expect(codes).toEqual(['PY-1', 'PY-2']);
    expect(await owner.codes.deleteOne({ itemId, codeId: data[0]?.id ?? 0 })).toBeUndefined();
    const none = { deleted: 0, kept: 0, items: [] };
    expect(await owner.codes.delete({ eventId: world.event, itemId }, { payload: { status: 'used' } })).toEqual(none);
    const ofItem = { itemId, name: 'Agency', deleted: 1, kept: 0 };
    expect(await owner.codes.delete({ eventId: world.event, itemId })).toEqual({ deleted: 1, kept: 0, items: [ofItem] });
    expect(service.lastRequest()).toBe(`DELETE /events/${world.event}/codes?itemId=${itemId}`);
  });
});

describe('planning', () => {
  it('an event can be created, published and cancelled, and has sessions and a crew', async () => {
    const draft = await owner.events.create({
      producerId: world.producer,
      title: 'Fresh',
      category: 'music',
      timezone: 'America/Sao_Paulo',
    });
    const { id } = draft;
    const night = { name: 'Night', start: '2026-06-01 20:00:00', finish: '2026-06-01 23:00:00' };
    const [first, second] = [await owner.sessions.create({ id, ...night }), await owner.sessions.create({ id, ...night })];
    expect((await owner.sessions.update({ id, sessionId: first.id, capacity: 10 })).capacity).toBe(10);
    await owner.sessions.delete({ id, sessionId: second.id });
    expect((await owner.events.publish({ id })).status).toBe('published');
    expect((await owner.events.unpublish({ id })).status).toBe('draft');
    expect((await owner.events.update({ id, title: 'Fresher' })).title).toBe('Fresher');
    const { user } = await owner.crew.add({ id, email: 'new@test.test', role: 'sales_operator' });
    expect((await owner.crew.update({ id, userId: user.id, role: 'admin' })).role).toBe('admin');
    await owner.crew.remove({ id, userId: user.id });
    await owner.events.publish({ id, private: true });
    expect((await owner.events.cancel({ id, reason: 'Rain', refund: true })).status).toBe('cancelled');
    expect(await owner.events.cancellation({ id })).toMatchObject({ status: 'running', refunded: 0 });
  });

  it('events can be searched, and the events that a user manages can be listed', async () => {
    expect((await anyone.events.search({ term: 'first' })).data[0]?.id).toBe(world.event);
    const found: string[] = [];
    for await (const { title } of anyone.events.searchAll({ fields: ['title'], pageSize: 1 })) found.push(title);
    expect(found).toContain('sibling-event');
    expect((await owner.events.list({ status: 'published' })).data.length).toBe(2);
    for await (const { producer } of owner.events.listAll()) expect(producer.id).toBe(world.producer);
  });

  it('categories can be created, listed and changed', async () => {
    const { id } = await admin.categories.create({ slug: 'theatre', name: 'Theatre' });
    expect((await admin.categories.update({ id, name: 'Theater' })).name).toBe('Theater');
    expect((await anyone.categories.list()).data.map(({ slug }) => slug)).toContain('theatre');
    await admin.categories.delete({ id });
  });
});

describe('selling', () => {
  it('an order can be placed, extended and paid, and its tickets read', async () => {
    const itemId = await itemOnSale();
    const { id, secret } = await anyone.orders.create({ eventId: world.event, items: [{ itemId, quantity: 2 }], buyer });
    expect((await anyone.orders.extend({ id, secret })).extended).toBe(true);
    expect((await anyone.orders.pay({ id, secret, method: 'card' })).status).toBe('approved');
    expect(service.lastRequest()).toBe(`POST /orders/${id}/payment`);
    expect((await anyone.orders.get({ id, secret })).status).toBe('approved');
    const { data: tickets } = await anyone.orders.tickets({ id, secret });
    expect(tickets).toHaveLength(2);
    for await (const ticket of anyone.orders.allTickets({ id, secret })) expect(tickets).toContainEqual(ticket);
    const ticket = { id: tickets[0]?.id ?? 0, orderId: id, secret };
    expect(await (await anyone.orders.ticketSvg(ticket)).text()).toMatch(/^<svg /);
    expect((await anyone.orders.ticketPng(ticket)).headers.get('content-type')).toBe('image/png');
    expect((await anyone.orders.ticketsPdf({ id, secret, locale: 'en' })).headers.get('content-type')).toBe('application/pdf');
    expect(await (await anyone.orders.calendar({ id, secret })).text()).toMatch(/^BEGIN:VCALENDAR/);
    expect((await owner.orders.list({ eventId: world.event, itemId })).data.map((order) => order.id)).toEqual([id]);
    for await (const order of owner.orders.listAll({ eventId: world.event, itemId })) expect(order.id).toBe(id);
    expect((await owner.orders.refund({ id, lines: [{ itemId, quantity: 1 }] })).lines[0]?.refunded).toBe(1);
    const { data: refunds } = await owner.orders.refunds({ eventId: world.event, status: 'done' });
    expect(refunds.map(({ orderId }) => orderId)).toContain(id);
    for await (const refund of owner.orders.allRefunds({ eventId: world.event })) expect(refund.status).toBe('done');
    const refundId = refunds[0]?.id ?? 0;
    expect(await outcome(owner.orders.retryRefund({ id, refundId }))).toMatchObject({ problem: { code: 'wrong_state' } });
    expect(await outcome(owner.orders.settleRefund({ id, refundId, note: 'Paid' }))).toMatchObject({ problem: { code: 'wrong_state' } });
    await anyone.orders.openSession({ id, secret });
    await anyone.orders.closeSession({ id });
    expect(await owner.orders.revokeLinks({ id })).toEqual({ revoked: 0 });
    expect((await owner.orders.notes.create({ id, text: 'A note' })).text).toBe('A note');
    expect((await owner.orders.notes.list({ id })).data).toHaveLength(1);
    for await (const note of owner.orders.notes.listAll({ id })) expect(note.author.name).toBe('owner');
    expect((await owner.orders.timeline({ id })).data[0]?.operation).toBe('createOrder');
    const details = await owner.orders.details({ id });
    expect([details.order.id, details.notes.data.length]).toEqual([id, 1]);
    for await (const { at } of owner.orders.timelineAll({ id })) expect(at).toBeTruthy();
    expect((await owner.orders.changeBuyerEmail({ id, email: 'other@test.test' })).buyer?.email).toBe('other@test.test');
    expect((await admin.orders.anonymize({ id })).buyer).toBeNull();
    expect(service.sent.some(({ url, headers }) => JSON.stringify([url, ...headers]).includes(secret))).toBe(false);
  });

  it('an order can be held without a buyer, and its buyer set later', async () => {
    const itemId = await itemOnSale();
    const { id, secret } = await anyone.orders.create({ eventId: world.event, items: [{ itemId, quantity: 1 }] });
    expect(await outcome(anyone.orders.pay({ id, secret, method: 'card' }))).toMatchObject({ problem: { code: 'buyer_required' } });
    expect((await anyone.orders.setBuyer({ id, secret, ...buyer })).buyer).toMatchObject(buyer);
    expect(service.lastRequest()).toBe(`PUT /orders/${id}/buyer`);
  });

  it('an order can be cancelled', async () => {
    const itemId = await itemOnSale();
    const { id, secret } = await anyone.orders.create({ eventId: world.event, items: [{ itemId, quantity: 1 }], buyer });
    expect((await anyone.orders.cancel({ id, secret })).status).toBe('cancelled');
  });

  it('a PIX order is paid when a signed notice of the provider arrives', async () => {
    const itemId = await itemOnSale();
    const { id, secret } = await anyone.orders.create({ eventId: world.event, items: [{ itemId, quantity: 1 }], buyer });
    const { payments } = await anyone.orders.pay({ id, secret, method: 'pix', outcome: 'never' });
    const { reference, amount } = payments[0] ?? { reference: '', amount: 0 };
    const notice = { id: 'n-1', reference: reference ?? '', event: 'paid', amount, at: world.now.toISOString() };
    const sandbox = await admin.payments.sandbox();
    const signature = createHmac('sha256', sandbox.secret).update(JSON.stringify(notice)).digest('hex');
    expect(await anyone.payments.notify(notice, { headers: { [sandbox.header]: signature } })).toEqual({ id: 'n-1' });
    expect(await outcome(anyone.payments.notify(notice))).toMatchObject({ problem: { code: 'invalid_signature' } });
  });

  it('payments.methods lists the payment methods of an event, and cash only for the crew', async () => {
    const methodsOf = async (client: Client) => (await client.payments.methods({ eventId: world.event })).data.map(({ method }) => method);
    expect(await methodsOf(anyone)).toEqual(['card', 'pix']);
    expect(await methodsOf(owner)).toContain('cash');
    expect(service.lastRequest()).toBe(`GET /payment-methods?eventId=${world.event}`);
  });

  it('payments.receiveNotice sends a signed notice of a provider', async () => {
    const event = harmlessEvent();
    const headers = { 'Stripe-Signature': signatureOf(JSON.stringify(event), world.now) };
    expect(await anyone.payments.receiveNotice({ provider: 'stripe', ...event }, { headers })).toEqual({ id: event.id });
  });

  it("producers.setPayout sets a producer's own account, and producers.deletePayout removes it", async () => {
    const payout = { provider: 'stripe', account: 'acct_producer' };
    expect(await admin.producers.setPayout({ id: world.producer, ...payout })).toMatchObject({ payout });
    expect(await owner.producers.get({ id: world.producer })).toMatchObject({ payout });
    await admin.producers.deletePayout({ id: world.producer });
    expect(await owner.producers.get({ id: world.producer })).toMatchObject({ payout: null });
  });

  it('producers.webhooks manages webhooks, and producers.changes reads the same changes', async () => {
    const id = world.producer;
    const { id: webhookId, secret } = await owner.producers.webhooks.create({
      id,
      url: 'https://hooks.example.com/',
      types: ['order.approved'],
    });
    expect(secret).toMatch(/^whsec_/);
    expect((await owner.producers.webhooks.update({ id, webhookId, types: ['item.soldout'] })).types).toEqual(['item.soldout']);
    expect((await owner.producers.webhooks.rotateSecret({ id, webhookId })).secret).not.toBe(secret);
    const test = await owner.producers.webhooks.test({ id, webhookId });
    expect((await owner.producers.webhooks.deliveries({ id, webhookId })).data).toEqual([test]);
    for await (const each of owner.producers.webhooks.deliveriesAll({ id, webhookId })) expect(each.type).toBe('webhook.test');
    expect((await owner.producers.webhooks.delivery({ id, webhookId, deliveryId: test.id })).body).toContain('webhook.test');
    expect(await outcome(owner.producers.webhooks.sendAgain({ id, webhookId, deliveryId: test.id }))).toMatchObject({
      problem: { code: 'wrong_state' },
    });
    const { next } = await owner.producers.changes({ id });
    expect((await owner.producers.webhooks.replay({ id, webhookId, since: next })).id).toBe(webhookId);
    expect((await owner.producers.webhooks.get({ id, webhookId })).paused).toBe(false);
    expect((await owner.producers.webhooks.list({ id })).data).toHaveLength(1);
    for await (const each of owner.producers.webhooks.listAll({ id })) expect(each.id).toBe(webhookId);
    await owner.producers.webhooks.delete({ id, webhookId });
  });

  it('sold_out is a typed problem whose body has the remaining quantity', async () => {
    const itemId = await itemOnSale();
    const result = await outcome(anyone.orders.create({ eventId: world.event, items: [{ itemId, quantity: 41 }], buyer }));
    expect(result).toMatchObject({ ok: false, problem: { code: 'sold_out', status: 409 } });
  });

  it('orders.create solves a challenge by itself, or throws it as a typed problem with solveChallenges: false', async () => {
    const eventId = world.siblingEvent;
    await owner.events.update({ id: eventId, challenge: 'always' });
    const order = { eventId, items: [{ itemId: world.siblingItem, quantity: 1 }], buyer };
    expect((await anyone.orders.create(order)).status).toBe('held');
    const result = await outcome(service.anyone({ solveChallenges: false }).orders.create(order));
    if (result.ok || result.problem.code !== 'challenge_required') throw new Error('No challenge came');
    const challenge = await solveChallenge(result.problem.challenge);
    expect((await anyone.orders.create({ ...order, challenge })).status).toBe('held');
  });
});

describe('door', () => {
  it('scans can be checked in, undone and listed, and a device can load the manifest', async () => {
    const steward = service.as('crew_entrance_operator');
    const entry = { code: 'never seen', at: world.now.toISOString(), device: 'gate-1', nonce: 'n-1' };
    const { results } = await steward.door.checkIn({ eventId: world.event, entries: [entry] });
    expect(results).toMatchObject([{ nonce: 'n-1', result: 'unknown' }]);
    const undo = { undoes: 'n-1', at: world.now.toISOString(), device: 'gate-1', nonce: 'n-2' };
    expect((await steward.door.undo({ eventId: world.event, entries: [undo] })).results).toHaveLength(1);
    expect((await owner.door.list({ eventId: world.event })).data.map(({ nonce }) => nonce)).toEqual(['n-1']);
    for await (const { device } of owner.door.listAll({ eventId: world.event })) expect(device).toBe('gate-1');
    expect((await steward.door.manifest({ eventId: world.event })).eventId).toBe(world.event);
  });
});

describe('the door app', () => {
  it('devices can be added, listed and revoked, and the door app starts, counts and searches', async () => {
    const eventId = world.event;
    const { id, token } = await owner.door.devices.create({ eventId, name: 'Phone' });
    expect(token).toMatch(/^tsd_/);
    expect((await owner.door.devices.list({ eventId })).data.map(({ name }) => name)).toEqual(['Phone']);
    for await (const { name } of owner.door.devices.listAll({ eventId })) expect(name).toBe('Phone');
    expect((await owner.door.start({ eventId })).event.id).toBe(eventId);
    expect((await owner.door.counters({ eventId })).minutes).toHaveLength(30);
    expect((await owner.door.search({ eventId, q: 'nobody' })).data).toEqual([]);
    expect(await owner.door.devices.revoke({ eventId, deviceId: id })).toBeUndefined();
  });
});

describe('mail', () => {
  it('system.health sends GET /system/health', async () => {
    expect((await admin.system.health()).database.role).toBe('primary');
    expect(service.lastRequest()).toBe('GET /system/health');
  });

  it('tickets can be mailed again, and the mailbox read', async () => {
    const itemId = await itemOnSale();
    const { id, secret } = await anyone.orders.create({ eventId: world.event, items: [{ itemId, quantity: 1 }], buyer });
    await anyone.orders.pay({ id, secret, method: 'card' });
    expect(await anyone.orders.resendTickets({ id, secret, locale: 'en' })).toBeUndefined();
    await sendMail(
      world.db,
      { mailer: createMailer(world.config), renderers: mailRenderersOf(world.config), from: world.config.mailFrom },
      world.now,
    );
    const { data } = await admin.mailbox.list();
    const mail = await admin.mailbox.get({ id: data[0]?.id ?? 0 });
    expect(mail.to).toContain(buyer.email);
    const ids: number[] = [];
    for await (const { id } of admin.mailbox.listAll()) ids.push(id);
    expect(ids[0]).toBe(mail.id);
  });
});

describe('copies', () => {
  it('events, sessions and items can be duplicated, and items can be ordered', async () => {
    const copy = await owner.events.duplicate({ id: world.event, title: 'Copy', shiftDays: 7 });
    expect(copy).toMatchObject({ title: 'Copy', status: 'draft' });
    expect((await owner.events.checklist({ id: copy.id })).data[0]).toMatchObject({ code: 'session', done: true });
    expect((await owner.events.preview({ id: copy.id, locale: 'en' })).link).toContain(`/en/event/${copy.link}?preview=`);
    const session = await owner.sessions.duplicate({ id: copy.id, sessionId: copy.sessions[0]?.id ?? 0, shiftDays: 1 });
    expect(session.name).toBe(copy.sessions[0]?.name);
    const { data } = await owner.items.list({ eventId: copy.id });
    const item = await owner.items.duplicate({ id: data[0]?.id ?? 0, name: 'Second' });
    await owner.items.order({ id: copy.id, itemIds: [item.id, ...data.map(({ id }) => id)] });
    expect((await owner.items.list({ eventId: copy.id })).data[0]?.name).toBe('Second');
    const { data: changed } = await owner.items.updateMany({ id: copy.id, items: [{ id: item.id, quantity: 7 }] });
    expect(changed.map(({ quantity }) => quantity)).toEqual([7]);
  });
});

describe('accounts', () => {
  it('login, refresh and logout: the client uses the tokens of the last response', async () => {
    const client = service.anyone();
    const { user, refreshToken = '' } = await client.auth.login({ email: world.emails.manager, password });
    expect((await client.auth.me()).id).toBe(user.id);
    await client.auth.refresh({ refreshToken });
    expect((await client.auth.updateMe({ name: 'manager' })).id).toBe(user.id);
    const newPassword = 'another long password';
    expect(await client.auth.changePassword({ currentPassword: password, newPassword })).toBeUndefined();
    await client.auth.logout();
    expect(await outcome(client.auth.me())).toMatchObject({ ok: false, problem: { code: 'not_authenticated' } });
  });

  it('a log-in with a second factor is completed with a code, and factors can be added, listed and removed', async () => {
    const client = service.anyone({ login: { email: world.emails.otherOwner, password } });
    const { secret } = await client.factors.createTotp({ password });
    const { factor, recoveryCodes } = await client.factors.confirmTotp({ code: totpCode(secret, world.now) });
    const started = await client.factors.startPasskey({ password });
    const credential = new Authenticator(new URL(world.config.publicUrl).origin).create(started.options as never);
    const passkey = await client.factors.createPasskey({ registrationToken: started.registrationToken, name: 'Key', credential });
    expect((await client.factors.list()).data).toHaveLength(2);

    const other = service.anyone();
    const login = await outcome(other.auth.login({ email: world.emails.otherOwner, password }));
    const loginToken = login.ok ? '' : String(login.problem.body['loginToken']);
    await other.auth.completeLogin({ loginToken, code: recoveryCodes?.[0] ?? '' });
    expect((await other.auth.me()).email).toBe(world.emails.otherOwner);
    expect((await client.factors.renewRecoveryCodes({ password })).recoveryCodes).toHaveLength(10);
    for (const { id } of [factor, passkey.factor]) await client.factors.remove({ id, password });
  });

  it('the links of mails set a password', async () => {
    const tokenFor = (userId: number, purpose: 'invitation' | 'password_reset') =>
      inTransaction(world.db, {}, (tx) => createOneTimeToken(tx, { userId, purpose }, world.now));
    const { id, email } = await admin.users.create({ email: 'invited@test.test', name: 'Invited' });
    const client = service.anyone();
    await client.auth.acceptInvitation({ token: await tokenFor(id, 'invitation'), password });
    expect((await client.auth.me()).email).toBe(email);
    await anyone.auth.requestPasswordReset({ email });
    await anyone.auth.resetPassword({ token: await tokenFor(id, 'password_reset'), newPassword: password });
    expect(await outcome(client.auth.me())).toMatchObject({ ok: false, problem: { code: 'invalid_token' } });
  });

  it('login sessions can be listed and revoked', async () => {
    const email = world.emails.crew_admin;
    const [first, second] = [service.anyone({ login: { email, password } }), service.anyone({ login: { email, password } })];
    await second.auth.me();
    const { data } = await first.loginSessions.list();
    expect(data.filter(({ current }) => current)).toHaveLength(1);
    await first.loginSessions.revoke({ id: data.find(({ current }) => !current)?.id ?? '' });
    await first.loginSessions.revokeOthers();
    for await (const { current } of first.loginSessions.listAll()) expect(current).toBe(true);
  });

  it('API tokens can be created, listed and revoked', async () => {
    const made = await owner.apiTokens.create({ name: 'Export', permissions: ['crew.read'], eventIds: [world.event] });
    expect((await service.anyone({ token: made.token }).events.crew({ id: world.event })).team.length).toBeGreaterThan(0);
    expect((await owner.apiTokens.list()).data.map(({ id }) => id)).toContain(made.id);
    for await (const token of owner.apiTokens.listAll()) expect(token.name).toBe('Export');
    await owner.apiTokens.revoke({ id: made.id });
  });

  it('users, producers and their members can be created, read and changed', async () => {
    const user = await admin.users.create({ email: 'fresh@test.test', name: 'Fresh' });
    expect((await admin.users.update({ id: user.id, name: 'Fresher' })).name).toBe('Fresher');
    expect((await admin.users.get({ id: user.id })).email).toBe('fresh@test.test');
    expect(await admin.users.roles({ id: user.id })).toEqual({ producers: [], events: [] });
    expect((await admin.users.list({ term: 'fresh@' })).data).toHaveLength(1);
    const emails: string[] = [];
    for await (const { email } of admin.users.listAll({ pageSize: 3 })) emails.push(email);
    expect(emails).toContain('fresh@test.test');

    const { id } = await admin.producers.create({ name: 'Third', owner: { email: user.email } });
    expect((await admin.producers.update({ id, currency: 'EUR' })).currency).toBe('EUR');
    expect((await admin.producers.get({ id })).name).toBe('Third');
    expect((await admin.producers.profile({ id: world.producer })).name).toBe('First');
    expect((await admin.producers.events({ id: world.producer })).data.map((event) => event.id)).toContain(world.event);
    for await (const { subtitle } of admin.producers.eventsAll({ id: world.producer })) expect(subtitle).toBeNull();
    expect((await admin.producers.list({ count: true })).total).toBe(3);
    for await (const producer of owner.producers.listAll()) expect(producer.id).toBe(world.producer);
    const member = await admin.producers.members.add({ id, email: 'more@test.test', role: 'manager' });
    await admin.producers.members.update({ id, userId: member.user.id, role: 'owner' });
    expect((await admin.producers.members.list({ id })).data).toHaveLength(2);
    for await (const { role } of admin.producers.members.listAll({ id })) expect(role).toBe('owner');
    await admin.producers.members.remove({ id, userId: member.user.id });
  });
});

describe('call options', () => {
  it('ifMatch makes a write fail when the resource has changed', async () => {
    const { id } = await freshItem();
    const item = await owner.items.get({ id });
    const ifMatch = etagOf(item) ?? '';
    expect((await owner.items.update({ id, name: 'Stalls' }, { ifMatch })).name).toBe('Stalls');
    expect(await outcome(owner.items.update({ id, name: 'Pit' }, { ifMatch }))).toMatchObject({ problem: { code: 'stale_version' } });
  });

  it('two calls with the same idempotencyKey are processed once', async () => {
    const input = { eventId: world.event, name: 'Once' };
    const first = await owner.items.create(input, { idempotencyKey: 'once' });
    expect(await owner.items.create(input, { idempotencyKey: 'once' })).toEqual(first);
    expect((await owner.items.list({ eventId: world.event, term: 'Once' })).data).toHaveLength(1);
  });

  it('a problem lists the invalid fields of the input', async () => {
    const asked = owner.items.create({ eventId: world.event, name: 'x'.repeat(201), quantity: -5 });
    const problem: unknown = await asked.catch((error: unknown) => error);
    if (!isProblem(problem, 'invalid_input')) throw problem;
    expect(problem.errors.map(({ field }) => field)).toEqual(['name', 'quantity']);
    expect(problem.requestId).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('client.call calls any operation by its name', async () => {
    expect((await owner.call('getItem', { id: world.item })).id).toBe(world.item);
  });

  it('this file calls every operation of the API', () => {
    const asked = new Set(service.sent.map(({ operation }) => operation));
    expect(operations.map(([name]) => name).filter((name) => !asked.has(name))).toEqual([]);
  });
});
