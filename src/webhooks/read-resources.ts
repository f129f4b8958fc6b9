import { getItemOfEvent, webShop } from '../catalog/item.ts';
import { findCheckin } from '../door/list-checkins.ts';
import { getExport } from '../exports/export.ts';
import { type Act, systemAct, type User } from '../kernel/act.ts';
import { groupBy } from '../kernel/group-by.ts';
import { Problem } from '../kernel/problem.ts';
import { readOrdersOf } from '../orders/order-access.ts';
import type { SubjectKind } from '../platform/changes/record-changes.ts';
import type { Tx } from '../postgres/database.ts';
import { readEvent } from '../storefront/event.ts';

/** What a change is about, as the feed and the deliveries store it. */
export interface ChangedSubject {
  eventId: number;
  /** For example `order/1001`. */
  subject: string;
  part: string | null;
}

export interface ReadOptions {
  producerId: number;
  at: Date;
  /** Whether payments use test money. Orders have a field that says so. */
  testMoney: boolean;
}

interface Subject extends ChangedSubject {
  kind: SubjectKind;
  id: number;
}

function parse(changed: ChangedSubject): Subject {
  const [kind = '', id = ''] = changed.subject.split('/');
  return { ...changed, kind: kind as SubjectKind, id: Number(id) };
}

/** Messages contain what an owner of the producer sees, whoever reads the feed. */
function actAsOwner({ producerId, at }: ReadOptions): Act<User> {
  const actor: User = {
    kind: 'user',
    id: 0,
    email: '',
    name: '',
    admin: false,
    producers: new Map([[producerId, 'owner']]),
    crew: new Map(),
    sessionId: null,
    token: null,
  };
  return { ...systemAct('readChanges', at), actor };
}

/** Reads the objects of changes as the API returns them now. Null for an object that no longer exists. */
export async function readResources(tx: Tx, changes: readonly ChangedSubject[], options: ReadOptions): Promise<(object | null)[]> {
  const act = actAsOwner(options);
  const subjects = changes.map(parse);
  const byKind = groupBy(subjects, ({ kind }) => kind);
  const orders = new Map((await readOrdersOf(tx, act, distinct(byKind.get('order') ?? []))).map((order) => [order.id, order]));
  const found = new Map<string, object | null>();
  for (const subject of subjects) {
    const key = keyOf(subject);
    if (subject.kind !== 'order' && !found.has(key)) found.set(key, await nullIfNotFound(readers[subject.kind](tx, act, subject)));
  }
  return subjects.map((subject) => {
    if (subject.kind !== 'order') return found.get(keyOf(subject)) ?? null;
    const order = orders.get(subject.id);
    return order ? { ...order, testMoney: options.testMoney } : null;
  });
}

const keyOf = ({ subject, part }: Subject): string => `${subject} ${part ?? ''}`;

const distinct = (subjects: readonly Subject[]): Subject[] => [...new Map(subjects.map((each) => [each.id, each])).values()];

type ReadOne = (tx: Tx, act: Act<User>, subject: Subject) => Promise<object | null>;

/** Orders are read together. */
const readers: Record<Exclude<SubjectKind, 'order'>, ReadOne> = {
  item: (tx, { at }, { eventId, id }) => getItemOfEvent(tx, eventId, id, { at, channel: webShop }),
  event: (tx, act, { id }) => readEvent.event(tx, act, id),
  export: (tx, act, { id }) => getExport(tx, act, id),
  ticket: (tx, _act, { eventId, id, part }) => findCheckin(tx, { eventId, ticketId: id, codeId: null, nonce: part ?? '' }),
  code: (tx, _act, { eventId, id, part }) => findCheckin(tx, { eventId, ticketId: null, codeId: id, nonce: part ?? '' }),
};

async function nullIfNotFound(reading: Promise<object | null>): Promise<object | null> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof Problem && error.code === 'not_found') return null;
    throw error;
  }
}
