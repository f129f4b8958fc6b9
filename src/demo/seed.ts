import { Readable } from 'node:stream';
import { addMember } from '../accounts/members.ts';
import { createProducer } from '../accounts/producers.ts';
import { createUser } from '../accounts/users.ts';
import { createAttribute } from '../catalog/attributes.ts';
import { createItem } from '../catalog/create-item.ts';
import { boxOffice, webShop } from '../catalog/item.ts';
import { createValues } from '../catalog/item-values.ts';
import { createSalesPeriod } from '../catalog/sales-periods.ts';
import { replaceTriggers } from '../catalog/triggers.ts';
import { importCodes } from '../codes/import-codes.ts';
import { receiveCodes } from '../codes/receive-codes.ts';
import { updateAttributes } from '../events/attributes.ts';
import { createCategory } from '../events/categories.ts';
import { createEvent } from '../events/create-event.ts';
import { addCrewMember } from '../events/crew.ts';
import type { NewEvent } from '../events/event-schemas.ts';
import { cancelEvent, publishEvent } from '../events/event-status.ts';
import { createSession } from '../events/sessions.ts';
import { setCover } from '../home/cover.ts';
import { createFeatured } from '../home/featured.ts';
import { createSection } from '../home/sections.ts';
import type { Act } from '../kernel/act.ts';
import { toInstant, toWallClock } from '../kernel/wall-clock.ts';
import { createPasskey } from '../passkeys/create-passkey.ts';
import { replacePasskeyItems } from '../passkeys/replace-items.ts';
import type { Tx } from '../postgres/database.ts';
import { getTax } from '../tax/get-tax.ts';
import { setProducerTaxPolicy } from '../tax/set-policy.ts';
import { categories, type DemoEvent, type DemoGroup, type DemoItem } from './demo-event.ts';
import { demoEvents } from './events.ts';
import { featured, homeCover, homeSections } from './home.ts';
import type { DemoPasswords } from './passwords.ts';
import { type DemoPerson, fullCrew, people } from './people.ts';
import { demoProducers } from './producers.ts';

const dayMs = 86_400_000;
const hourMs = 3_600_000;

/** Creates two producers, to show that neither sees the data of the other, and events in every status. Dates are relative to `act.at`. */
export async function seedDemo(tx: Tx, act: Act, passwords: DemoPasswords): Promise<void> {
  for (const { email, name, admin } of Object.values<DemoPerson>(people)) {
    const password = passwords.get(email);
    if (password === undefined) throw new Error(`No password was given for ${email}`);
    await createUser(tx, act, { email, name, password, admin: admin === true });
  }
  const aurora = await createProducer(tx, act, { ...demoProducers.aurora, owner: people.producer });
  const mare = await createProducer(tx, act, { ...demoProducers.mare, owner: people.other });
  await setProducerTaxPolicy(tx, act, mare.id, { ratePercent: 8, minimum: 50, taxDistribution: 50 });
  await addMember(tx, act, aurora.id, { email: people.manager.email, role: 'manager' });

  for (const [position, [slug, name]] of Object.entries(categories).entries()) {
    await createCategory(tx, act, { slug, name, position }, new Set());
  }
  const ids = new Map<string, number>();
  for (const event of demoEvents) {
    const producer = event.producer === 'aurora' ? aurora : mare;
    const eventId = await createEvent(tx, act, { producerId: producer.id, ...columnsOf(event) });
    ids.set(event.link, eventId);
    await seedEvent(tx, act, eventId, event);
  }
  await seedHome(tx, act, (link) => ids.get(link) ?? 0);
}

function columnsOf(event: DemoEvent): Omit<NewEvent, 'producerId'> {
  const { producer: _p, status: _s, attributes: _a, sessions: _e, items: _i, crew: _c, ...columns } = event;
  return columns;
}

async function seedEvent(tx: Tx, act: Act, eventId: number, event: DemoEvent): Promise<void> {
  const sessionIds: number[] = [];
  if (event.attributes) await updateAttributes(tx, act, eventId, event.attributes);
  for (const { name, day, at, hours, capacity = null } of event.sessions) {
    const start = wallClockOn(act.at, day, at, event.timezone);
    const starts = toInstant(start, event.timezone) ?? act.at;
    const finish = toWallClock(new Date(starts.getTime() + hours * hourMs), event.timezone);
    sessionIds.push(await createSession(tx, act, eventId, { name, start, finish, capacity }));
  }
  for (const [position, entry] of event.items.entries()) {
    if ('items' in entry) await seedGroup(tx, act, { eventId, event, sessionIds, position }, entry);
    else await seedItem(tx, act, { eventId, event, sessionIds, position }, entry, null);
  }
  if (event.status !== 'draft') await publishEvent(tx, act, eventId, event.status === 'private');
  if (event.status === 'cancelled') await cancelEvent(tx, act, eventId, { reason: 'Temporal previsto', refund: false });
  if (event.crew) {
    for (const [person, role] of fullCrew) await addCrewMember(tx, act, eventId, { email: people[person].email, role });
  }
}

async function seedHome(tx: Tx, act: Act, idOf: (link: string) => number): Promise<void> {
  for (const [position, link] of featured.entries()) {
    await createFeatured(tx, act, { eventId: idOf(link), position });
  }
  for (const [position, { title, links }] of homeSections.entries()) {
    await createSection(tx, act, { title, position, eventIds: links.map(idOf) });
  }
  await setCover(tx, act, { ...homeCover, eventId: idOf('festival-aurora') });
}

interface ItemPlace {
  eventId: number;
  event: DemoEvent;
  sessionIds: number[];
  position: number;
}

async function seedGroup(tx: Tx, act: Act, place: ItemPlace, group: DemoGroup): Promise<void> {
  const { eventId, position } = place;
  const quantity = group.quantity ?? null;
  const { id: groupId } = await createItem(tx, act, { eventId, name: group.name, type: 'group', quantity, position });
  const ids: number[] = [];
  for (const [i, item] of group.items.entries()) ids.push(await seedItem(tx, act, { ...place, position: i }, item, groupId));
  if (group.lots) await chainLots(tx, act, ids);
}

/** Adds triggers that open the next lot when a lot is sold out. */
async function chainLots(tx: Tx, act: Act, ids: readonly number[]): Promise<void> {
  for (const [i, targetItemId] of ids.slice(1).entries()) {
    await replaceTriggers(tx, act, ids[i] ?? 0, [{ on: 'soldout', action: 'open', targetItemId }]);
  }
}

async function seedItem(
  tx: Tx,
  act: Act,
  { eventId, event, sessionIds, position }: ItemPlace,
  item: DemoItem,
  parentId: number | null,
): Promise<number> {
  const { id } = await createItem(tx, act, {
    eventId,
    name: item.name,
    description: item.description ?? '',
    type: item.type ?? 'ticket',
    parentId,
    sessionIds: sessionIds.filter((_, i) => item.sessions?.includes(i) ?? true),
    quantity: item.quantity ?? null,
    position,
    hidden: item.hidden === true,
    salable: !item.closed,
  });
  const { price, feeSale, feeProducer } = await getTax(tx, { eventId, price: item.price });
  await createValues(tx, act, id, { price, feeSale, feeProducer });
  if (item.codes) await seedCodes(tx, act, eventId, id, item.codes);
  if (item.halfPrice) await createAttribute(tx, act, id, { key: 'halfPrice', type: 'boolean', value: true });
  if (item.maximum) await createAttribute(tx, act, id, { key: 'maximum', type: 'integer', value: item.maximum });
  const doors = Math.min(...event.sessions.map(({ day }) => day));
  const [opens, closes] = item.sale ?? [Math.min(-10, doors - 60), doors];
  const span = {
    start: wallClockOn(act.at, opens, '10:00:00', event.timezone),
    finish: wallClockOn(act.at, closes, '12:00:00', event.timezone),
  };
  const available = item.quantity || 10_000;
  await createSalesPeriod(tx, act, id, { ...span, appCategoryId: webShop, available });
  await createSalesPeriod(tx, act, id, { ...span, appCategoryId: boxOffice, available: Math.ceil(available / 10) });
  for (const { text, from, limit = null } of item.passkeys ?? []) {
    const start = from === undefined ? null : wallClockOn(act.at, from, '10:00:00', event.timezone);
    const passkey = await createPasskey(tx, act, { eventId, passkey: text, start, limit });
    await replacePasskeyItems(tx, act, passkey.id, [id]);
  }
  return id;
}

/** Imports the codes as a CSV file, in the same way as an upload. */
async function seedCodes(tx: Tx, act: Act, eventId: number, itemId: number, codes: Record<string, string>): Promise<void> {
  const rows = Object.entries(codes).map(([code, name]) => `${code},${itemId},${name}`);
  const file = Readable.from([Buffer.from(['code,itemId,name', ...rows].join('\n'))]);
  await importCodes(tx, act, eventId, {}, await receiveCodes(tx, file));
}

/** Returns a date and time in the time zone of the event, `days` after today. */
function wallClockOn(at: Date, days: number, time: string, zone: string): string {
  return `${toWallClock(new Date(at.getTime() + days * dayMs), zone).slice(0, 10)} ${time}`;
}
