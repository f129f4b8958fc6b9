import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { createGate } from '../../src/accounts/gate.ts';
import { addMember } from '../../src/accounts/members.ts';
import { openSession } from '../../src/accounts/session.ts';
import { findUser } from '../../src/accounts/user.ts';
import { createUser } from '../../src/accounts/users.ts';
import { capabilities, scopes } from '../../src/app.ts';
import { addCrewMember } from '../../src/events/crew.ts';
import { createFeatured } from '../../src/home/featured.ts';
import { createSection } from '../../src/home/sections.ts';
import { capability } from '../../src/http/capability.ts';
import { mount } from '../../src/http/mount.ts';
import { createServer } from '../../src/http/server.ts';
import { anyone, permissions } from '../../src/kernel/access.ts';
import { systemAct } from '../../src/kernel/act.ts';
import { route } from '../../src/kernel/route.ts';
import { inTransaction } from '../../src/postgres/transaction.ts';
import { updateWaitingRoom } from '../../src/waiting-room/update-room.ts';
import { createWebhook } from '../../src/webhooks/change-webhooks.ts';
import { testWebhook } from '../../src/webhooks/deliveries.ts';
import { auditFindings } from '../audit-findings.ts';
import { insertExport } from '../exports.ts';
import { useWorld } from '../harness.ts';
import { testSeed } from '../random.ts';
import { shopOf } from '../shop.ts';
import { noon, password } from '../world.ts';
import { faultsOf } from './answers.ts';
import { flawNames } from './flaws.ts';
import { rawCases, sendRaw } from './raw.ts';
import { type Attempt, describeAttempt, malformedRequest, operationsOf } from './requests.ts';
import { type Targets } from './samples.ts';

/**
 * To repeat one request, set TEST_SEED as printed, MALFORMED_FIRST to the number of the request, and MALFORMED_COUNT=1. A new operation
 * changes the numbers.
 */
const seed = testSeed;
const first = Number(process.env.MALFORMED_FIRST ?? 0);
const count = Number(process.env.MALFORMED_COUNT ?? 2_500);
/** Whether the run must cover every operation and every flaw. A run of a few hundred requests may miss some by chance. */
const isWhole = count >= 2_500;
/** After `count` requests, operations that no request has reached get more, up to this number. */
const most = first + (isWhole ? 5 * count : count);

/** The deadline only detects requests that get no response. A normal response takes less than a thousandth of it. */
const deadlineMs = 60_000;
const concurrentRequests = 24;
/** The run stops after this number of faults. More requests would tell nothing new about a broken service. */
const maxFaults = 3_000;
const maxHangs = 10;
const shownPerKind = 3;

const world = useWorld();
const operations = operationsOf(capabilities);

interface Judged {
  attempt: Attempt;
  /** The response. Null if there was no response within the deadline. */
  answer: LightMyRequestResponse | null;
  faults: string[];
}

const unanswered = 'no response in time';

async function judge(app: FastifyInstance, attempt: Attempt, deadline: number): Promise<Judged> {
  const start = performance.now();
  const answer = await within(deadline, app.inject(attempt.request));
  // A request that blocks the event loop gets its response before the timer can fire. So the elapsed time is checked too.
  if (!answer || performance.now() - start > deadline) return { attempt, answer: null, faults: [unanswered] };
  const { statusCode: status, headers, body } = answer;
  return { attempt, answer, faults: faultsOf({ method: attempt.request.method, status, headers, body }) };
}

function within<T>(ms: number, work: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, ms, null);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** Collects faults by kind, so that hundreds of one kind do not hide a single fault of another kind. */
class Findings {
  readonly #kinds = new Map<string, Attempt[]>();
  #faulty = 0;
  #hangs = 0;

  add({ attempt, answer, faults }: Judged): void {
    if (faults.length === 0) return;
    this.#faulty++;
    if (!answer) this.#hangs++;
    const kind =
      faults.join(', ').replaceAll(/[\da-f]{8}-[\da-f-]{27}/g, '…') + (answer?.statusCode === 500 ? ` of ${attempt.operation}` : '');
    this.#kinds.set(kind, [...(this.#kinds.get(kind) ?? []), attempt]);
  }

  get enough(): boolean {
    return this.#faulty >= maxFaults || this.#hangs >= maxHangs;
  }

  get lines(): string[] {
    return [...this.#kinds].flatMap(([kind, attempts]) => {
      // The smallest request shows the fault best. But a request that blocks the process also delays other requests. In that case the
      // largest request is the likely cause.
      const sorted = attempts.toSorted((a, b) => sizeOf(a) - sizeOf(b));
      const shown = kind === unanswered ? sorted.toReversed() : sorted;
      return shown.slice(0, shownPerKind).map((one, i) => `${kind} (${i + 1} of ${attempts.length}): ${describeAttempt(one)}`);
    });
  }
}

const sizeOf = ({ request }: Attempt): number => request.url.length + (request.payload?.length ?? 0);

/** Sends the requests that `next` returns, several at the same time, until it returns null. */
async function sendAll(next: () => Attempt | null, send: (attempt: Attempt) => Promise<void>): Promise<void> {
  const sender = async (): Promise<void> => {
    for (let attempt = next(); attempt; attempt = next()) await send(attempt);
  };
  await Promise.all(Array.from({ length: concurrentRequests }, sender));
}

let targets: Targets;
const senders = ['admin', 'owner', 'manager', 'crew', 'stranger', 'leaver'] as const;
const emailOf = (name: string): string => `${name}@storm.test`;
/** The ids of the senders start here. The generator of requests does not use ids in this range. */
const firstSenderId = 6_000_000_001;

/**
 * A request with a flaw may still succeed. For example it may disable a user or remove a member. So the senders are users whose ids and
 * e-mail addresses the generator does not know. All other users may be changed. After the run the accounts of the senders must be unchanged.
 */
beforeAll(async () => {
  const tokens = await inTransaction(world.db, {}, async (tx) => {
    const act = systemAct('test', noon);
    await sql`alter table app_user alter column id restart with ${sql.lit(firstSenderId)}`.execute(tx);
    for (const name of senders) await createUser(tx, act, { email: emailOf(name), name, password, admin: name === 'admin' });
    await addMember(tx, act, world.producer, { email: emailOf('owner'), role: 'owner' });
    await addMember(tx, act, world.producer, { email: emailOf('manager'), role: 'manager' });
    await addCrewMember(tx, act, world.event, { email: emailOf('crew'), role: 'sales_operator' });
    // Many sections and featured events, so that some of the random deletes find one.
    for (const id of firstIds) await createSection(tx, act, { title: `Section ${id}` });
    for (const _ of firstIds) await createFeatured(tx, act, { eventId: world.event });
    for (const _ of webhookIds) {
      const { id } = await createWebhook(tx, act, world.producer, { url: 'https://hooks.example/', types: ['order.approved'] }, false);
      await testWebhook(tx, act, { producerId: world.producer, id });
    }
    await updateWaitingRoom(tx, act, world.siblingEvent, { opensAt: noon.toISOString() });
    const signedIn: Record<string, string> = {};
    for (const name of senders) {
      const user = await findUser(tx, emailOf(name));
      if (user) signedIn[name] = (await openSession(tx, user, noon)).login.accessToken;
    }
    return signedIn;
  });
  const created = await world.call('POST', '/auth/tokens', { token: tokens.owner ?? '', body: { name: 'storm', permissions } });
  tokens.apiToken = (created.json() as { token: string }).token;
  const shop = shopOf(world);
  const wanted = [{ itemId: world.item, quantity: 2 }];
  const refunded = await shop.buy(wanted);
  await shop.refund(refunded, { lines: [{ itemId: world.item, quantity: 1 }] });
  const orders = [refunded.id, refunded.id, (await shop.buy(wanted)).id, (await shop.hold(wanted)).id];
  // These exports have ended, because a request that watches an unfinished export would not return.
  const done = { eventId: world.event, userId: world.users.owner, status: 'cancelled' };
  const exports = [await insertExport(world, done), await insertExport(world, done)];
  // A logout may succeed in spite of its flaw. So only users that send no other requests log out.
  targets = {
    tokens,
    reserved: { logout: ['leaver', 'leaver', 'apiToken', 'nobody'] },
    emails: Object.values(world.emails),
    ids: { ...realIds(), orders, exports },
  };
});

/** The first ids of a table. They belong to rows of world.ts, and then to rows that the run creates. */
const firstIds = Array.from({ length: 30 }, (_, i) => i + 1);

/** The ids of the webhooks, and of their deliveries. */
const webhookIds = [1, 2, 3];

function realIds(): Targets['ids'] {
  const people = Object.values(world.users);
  const producers = [world.producer, world.otherProducer];
  const events = [world.event, world.event, world.siblingEvent, world.foreignEvent];
  const items = [world.item, world.item, world.item, world.siblingItem, world.foreignItem, ...firstIds.slice(0, 6)];
  return {
    producers,
    producerId: producers,
    event: events,
    events,
    eventId: events,
    eventIds: events,
    items,
    itemId: items,
    targetItemId: firstIds,
    parentId: firstIds,
    sessionIds: [1, 1, 2, 3],
    itemIds: items,
    passkeys: [world.passkey, world.passkey, world.siblingPasskey, ...firstIds],
    users: people,
    members: people,
    crew: people,
    userId: people,
    tokens: firstIds,
    sections: firstIds,
    refunds: [1, 1, 1, ...firstIds],
    featured: firstIds,
    queue: [world.siblingEvent, world.event],
    webhooks: webhookIds,
    deliveries: webhookIds,
    // The items of world.ts have a sales period for channel 1.
    'sales-period': [1, 1, 2, 3],
  };
}

/** Reopens the login sessions of the senders, so that the next logout does not return 401. */
const reopenSessions = () =>
  sql`update auth_session set revoked_at = null, revoked_because = null where user_id >= ${firstSenderId} and revoked_at is not null`.execute(
    world.db,
  );

async function senderAccounts(): Promise<unknown[]> {
  const { rows } = await sql`
    select to_jsonb(u) - 'name' as account, (select json_agg(m order by producer_id) from producer_member m where user_id = u.id) as member,
           (select json_agg(c order by event_id) from event_crew c where user_id = u.id) as crew
      from app_user u where u.id between ${firstSenderId} and ${firstSenderId + senders.length - 1} order by u.id`.execute(world.db);
  return rows;
}

async function expectGoodService(): Promise<void> {
  await reopenSessions();
  for (const name of senders) {
    const me = await world.call('GET', '/auth/me', { token: targets.tokens[name] ?? '' });
    expect(me.statusCode, `${name}: ${me.body}`).toBe(200);
    const login = await world.call('POST', '/auth/login', { body: { email: emailOf(name), password } });
    expect(login.statusCode, `${name}: ${login.body}`).toBe(200);
  }
  expect(await auditFindings(world.db)).toEqual([]);
}

/** Whether the request passed authentication and permission checks and reached the validation or the operation itself. */
function passedGate({ attempt, answer }: Judged): boolean {
  const route = operations.find(({ name }) => name === attempt.operation)?.route;
  if (!answer || attempt.request.method !== route?.method) return false;
  return answer.statusCode < 400 || ['invalid_input', ...(route.problems ?? [])].some((code) => answer.body.includes(`"code":"${code}"`));
}

describe('malformed requests', () => {
  it(`${count} requests to all operations: none returns 500 or hangs, and each refusal is a documented problem`, {
    timeout: 900_000,
  }, async () => {
    const before = await senderAccounts();
    expect(before).toHaveLength(senders.length);
    const findings = new Findings();
    const statuses = new Map<number, number>();
    const reached = new Set<string>();
    const usedFlaws = new Set<string>();
    let index = first;
    const isWanted = () => index < first + count || !reached.has(operations[index % operations.length]?.name ?? '');
    const next = () => {
      while (index < most && !isWanted()) index++;
      return index < most && !findings.enough ? malformedRequest(operations, targets, seed, index++) : null;
    };
    await sendAll(next, async (attempt) => {
      const judged = await judge(world.app, attempt, deadlineMs);
      if (attempt.operation === 'logout') await reopenSessions();
      findings.add(judged);
      const status = judged.answer?.statusCode ?? 0;
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (passedGate(judged)) reached.add(attempt.operation);
      for (const flaw of attempt.flaws) usedFlaws.add(flaw);
    });
    if (process.env.MALFORMED_REPORT) console.info(`seed ${seed}:`, Object.fromEntries(statuses));
    expect(findings.lines, `TEST_SEED=${seed}`).toEqual([]);
    expect(await senderAccounts()).toEqual(before);
    await expectGoodService();
    if (!isWhole) return;
    const notReached = operations.map(({ name }) => name).filter((name) => !reached.has(name));
    expect(notReached, 'no request passed the permission check: add ids for these operations to `realIds`').toEqual([]);
    expect(flawNames.filter((flaw) => !usedFlaws.has(flaw))).toEqual([]);
  });

  it('the same seed gives the same requests, and another seed gives other requests', () => {
    const some = (of: number) => Array.from({ length: 300 }, (_, i) => describeAttempt(malformedRequest(operations, targets, of, i)));
    expect(some(seed)).toEqual(some(seed));
    expect(some(seed)).not.toEqual(some(seed + 1));
  });

  it('for bytes that are not valid HTTP, the service returns an error or closes the connection, and serves the next request', {
    timeout: 300_000,
  }, async () => {
    const address = await world.app.listen({ port: 0, host: '127.0.0.1' });
    const cases = rawCases(seed);
    expect(cases.length).toBeGreaterThan(300);
    const findings: string[] = [];
    for (let i = 0; i < cases.length; i += 10) {
      const some = cases.slice(i, i + 10).map((one) => sendRaw(Number(new URL(address).port), one, deadlineMs));
      findings.push(...(await Promise.all(some)).flat());
      expect((await fetch(`${address}/healthz`)).status).toBe(200);
    }
    expect(findings, `TEST_SEED=${seed}`).toEqual([]);
    await expectGoodService();
    const me = await fetch(`${address}/v1/auth/me`, { headers: { authorization: `Bearer ${targets.tokens.admin}` } });
    expect(me.status).toBe(200);
  });
});

describe('control: the same check on an operation that is broken', () => {
  const broken = route({
    method: 'POST',
    path: '/broken/{id}',
    group: 'account',
    summary: 'Broken on purpose',
    access: anyone,
    answer: { status: 204 },
    unaudited: 'It is broken on purpose',
    examples: { params: { id: 1 } },
  });

  /** Sends the same requests with the same checks to a separate service that has only this operation. */
  async function findingsWith(handler: () => Promise<void>, count: number, deadline = deadlineMs): Promise<string[]> {
    const control = capability({ broken }, { broken: handler });
    const app = await createServer({ logLevel: 'silent', corsOrigins: [], trustProxy: false, rateLimit: null, loadShedding: false });
    mount(app, { db: world.db, clock: () => noon, gate: createGate(world.db, scopes), serve: new Set(['account']) }, [control]);
    const findings = new Findings();
    let index = 0;
    const next = () => (index < count ? malformedRequest(operationsOf([control]), targets, seed, index++) : null);
    await sendAll(next, async (attempt) => findings.add(await judge(app, attempt, deadline)));
    await app.close();
    return findings.lines;
  }

  it('reports a handler that throws', async () => {
    const findings = await findingsWith(async () => {
      throw new TypeError('undefined is not a function');
    }, 200);
    expect(findings).toContainEqual(expect.stringMatching(/^status 500 .* of broken \(1 of \d{2,}\)/));
  });

  it('reports a handler that does not return', async () => {
    let release = (): void => undefined;
    const stuck = new Promise<void>((resolve) => {
      release = resolve;
    });
    // The handler is released after 2 seconds, because it occupies a database connection.
    const giveUp = setTimeout(() => release(), 2_000);
    const findings = await findingsWith(() => stuck, 20, 500);
    clearTimeout(giveUp);
    release();
    expect(findings).toContainEqual(expect.stringMatching(/^no response in time/));
  });

  it('reports nothing for a handler that works', async () => {
    expect(await findingsWith(async () => undefined, 200)).toEqual([]);
  });

  it('reports each way in which a refusal can differ from a documented problem', () => {
    const problem = { type: 'urn:x', title: 'x', status: 404, code: 'not_found', detail: 'x', requestId: 'r' };
    const headers = { 'content-type': 'application/problem+json; charset=utf-8', 'x-request-id': 'r' };
    const faults = (body: unknown, more: object = {}, status = 404) =>
      faultsOf({ method: 'GET', status, headers: { ...headers, ...more }, body: typeof body === 'string' ? body : JSON.stringify(body) });
    expect(faults(problem)).toEqual([]);
    expect(faults('Not Found')).toHaveLength(1);
    expect(faults(problem, { 'content-type': 'application/json' })).toHaveLength(1);
    expect(faults(problem, { 'x-request-id': undefined })).toHaveLength(1);
    expect(faults({ ...problem, code: 'oops' })).toHaveLength(1);
    expect(faults({ ...problem, status: 400 })).toHaveLength(1);
    for (const field of ['type', 'title', 'detail']) expect(faults({ ...problem, [field]: undefined })).toHaveLength(1);
    expect(faults({ ...problem, status: 503, code: 'overloaded' }, {}, 503)).toEqual(['status 503 x']);
  });
});
