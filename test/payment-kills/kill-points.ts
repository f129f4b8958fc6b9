import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { eventually } from '../eventually.ts';
import type { Dice } from '../random.ts';
import type { StoredEvent } from '../stripe/store.ts';
import type { Buyers } from './buyers.ts';
import type { Postman } from './postman.ts';
import type { CaughtCall, Kind, ProviderGate } from './provider-gate.ts';

export const kinds = ['card', 'pix', 'refund'] as const satisfies Kind[];

/**
 * Where the service is killed.
 *
 * - `begin`: the payment or refund is committed, and the provider has not got the request.
 * - `call`: the provider gets the request, and it takes effect after the kill.
 * - `effect`: the request has taken effect, and the service has not got the response.
 * - `answer`: the service has got the response, and its transaction waits for a lock.
 * - `apply`: some milliseconds after the response, around the commit and the response to the buyer.
 * - `notice`: a notice is stored and its transaction waits for a lock, or some milliseconds after the provider has sent the notice.
 */
export const points = ['begin', 'call', 'effect', 'answer', 'apply', 'notice'] as const;
export type Point = (typeof points)[number];

/** What a kill needs: the running buyers, the way to the provider, and a connection to the database. */
export interface Scene {
  eventId: number;
  buyers: Buyers;
  gate: ProviderGate;
  postman: Postman;
  db: pg.Client;
  dice: Dice;
}

/** What happens after the kill, and after the next start. */
interface Aftermath {
  killed?(): void | Promise<void>;
  /** Resolves when the effect has happened that the kill has delayed. */
  restarted?(): Promise<void>;
}

const applyMs = 40;
/** The worker looks for notices every 500 ms. */
const noticeMs = 600;

/** Brings the service to a point. `variant` alternates between two ways to be there. */
type Reach = (scene: Scene, kind: Kind, variant: boolean) => Promise<Aftermath>;

const ways: Record<Point, Reach> = {
  begin: async (scene, kind) => {
    const caught = await catchOne(scene, kind, 'request');
    return { killed: () => caught.drop() };
  },
  call: async (scene, kind, variant) => {
    const caught = await catchOne(scene, kind, 'request');
    return variant ? { killed: () => caught.pass() } : { restarted: () => passAfterRetry(scene.gate, caught) };
  },
  effect: async (scene, kind) => {
    const caught = await catchOne(scene, kind, 'response');
    return { killed: () => caught.drop() };
  },
  answer: async (scene, kind) => {
    const caught = await catchOne(scene, kind, 'response');
    const lock = await lockRow(scene, kind, caught);
    caught.pass();
    // A notice may have told the result before the response. Then the service has nothing left to lock.
    await eventually('the service waits for the lock', async () => (await lock.isWaitedFor()) || (await isDecided(scene, kind, caught)));
    return { killed: lock.release };
  },
  apply: async (scene, kind) => {
    const caught = await catchOne(scene, kind, 'response');
    caught.pass();
    await sleep(scene.dice.below(applyMs));
    return {};
  },
  notice: (scene, kind, variant) => (variant ? whileNoticeWaits(scene, kind) : soonAfterNotice(scene, kind)),
};

/** Resolves when the service is at this point and can be killed. */
export const reach = (point: Point, ...args: Parameters<Reach>): Promise<Aftermath> => ways[point](...args);

async function catchOne({ gate, buyers }: Scene, kind: Kind, stage: 'request' | 'response'): Promise<CaughtCall> {
  const caught = gate.catchNext(kind, stage);
  await provoke(buyers, kind);
  return caught;
}

async function provoke(buyers: Buyers, kind: Kind): Promise<void> {
  if (kind === 'refund') await eventually('an order can be refunded', () => buyers.refundOne());
  else buyers.buy(kind);
}

/** The first request reaches the provider after the request with which the service repeats it. */
async function passAfterRetry(gate: ProviderGate, caught: CaughtCall): Promise<void> {
  await eventually('the service repeats the request', () => gate.answersOf(caught.reference) > 0);
  caught.pass();
}

/** Locks the order of a payment, or the refund, which the service locks to apply a response or a notice. */
async function lockRow({ db, eventId }: Scene, kind: Kind, { orderId, reference }: Pick<CaughtCall, 'orderId' | 'reference'>) {
  const [statement, key] =
    kind === 'refund'
      ? (['select pg_backend_pid() as pid from refund where event_id = $1 and reference = $2 for update', reference] as const)
      : (['select pg_backend_pid() as pid from ticket_order where event_id = $1 and id = $2 for update', orderId] as const);
  await db.query('begin');
  await db.query(statement, [eventId, key]);
  return {
    isWaitedFor: async () => (await db.query('select from pg_stat_activity where pg_backend_pid() = any(pg_blocking_pids(pid))')).rowCount,
    release: async () => void (await db.query('rollback')),
  };
}

async function isDecided({ db, eventId }: Scene, kind: Kind, { reference }: CaughtCall): Promise<boolean> {
  const table = kind === 'refund' ? 'refund' : 'payment';
  const open = `select from ${table} where event_id = $1 and reference = $2 and status = 'begun'`;
  return (await db.query(open, [eventId, reference])).rowCount === 0;
}

async function whileNoticeWaits(scene: Scene, kind: Kind): Promise<Aftermath> {
  const { postman, db } = scene;
  const { id, data } = await nextNotice(scene, kind);
  const { metadata } = data.object as { metadata: Record<string, string> };
  const lock = await lockRow(scene, kind, { orderId: Number(metadata.order), reference: metadata.reference ?? '' });
  await postman.deliver([id], 2);
  // An earlier delivery of the notice may have been stored and applied, although the provider got no response.
  const isApplied = async () => (await db.query(`select from payment_notice where notice_id = $1 and status <> 'received'`, [id])).rowCount;
  await eventually('the notice waits for the lock', async () => (await lock.isWaitedFor()) || (await isApplied()));
  return { killed: lock.release, restarted: async () => postman.resume() };
}

async function soonAfterNotice(scene: Scene, kind: Kind): Promise<Aftermath> {
  const { postman, dice } = scene;
  const { id } = await nextNotice(scene, kind);
  const delivery = postman.deliver([id], 2);
  await sleep(dice.below(noticeMs));
  return { killed: () => delivery, restarted: async () => postman.resume() };
}

/** Stops all other deliveries, and returns a notice that the service does not know. */
async function nextNotice({ postman, buyers }: Scene, kind: Kind): Promise<StoredEvent> {
  await provoke(buyers, kind);
  await postman.pause();
  return eventually(`there is a notice about a ${kind}`, async () => (await postman.waiting()).find((event) => isAbout(event, kind)));
}

function isAbout({ type, data }: StoredEvent, kind: Kind): boolean {
  if (kind === 'refund') return type === 'refund.created';
  const { payment_method_types: types } = data.object as { payment_method_types?: string[] };
  return type === 'payment_intent.succeeded' && types?.includes(kind) === true;
}
