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

/** To see one request again, as long as no operation was added: TEST_SEED as printed, MALFORMED_FIRST its number, MALFORMED_COUNT=1. */
const seed = testSeed;
const first = Number(process.env.MALFORMED_FIRST ?? 0);
const count = Number(process.env.MALFORMED_COUNT ?? 20_000);
/** Of a few hundred, some operation or flaw would be left out by chance. */
const isWhole = count >= 10_000;

/** Nothing takes a thousandth of this; it only tells a late answer from none. */
const deadlineMs = 20_000;
const atOnce = 24;
/** Enough to see what is wrong; a service that is down need not be asked twenty thousand times. */
const mostFaulty = 3_000;
const mostHangs = 10;
const shownOfAKind = 3;

const world = useWorld();
const operations = operationsOf(capabilities);

interface Judged {
  attempt: Attempt;
  /** Null: none in time. */
  answer: LightMyRequestResponse | null;
  faults: string[];
}

const unanswered = 'no answer in time';

async function judge(app: FastifyInstance, attempt: Attempt, deadline: number): Promise<Judged> {
  const start = performance.now();
  const answer = await within(deadline, app.inject(attempt.request));
  // Who keeps the whole process busy is answered before any timer can go off.
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

/** What was wrong, by its kind: hundreds of one must not hide the one of another. */
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
    return this.#faulty >= mostFaulty || this.#hangs >= mostHangs;
  }

  get lines(): string[] {
    return [...this.#kinds].flatMap(([kind, attempts]) => {
      // The smallest shows best what is wrong. But where one stands still those beside it do too, and the largest is likely the one.
      const sorted = attempts.toSorted((a, b) => sizeOf(a) - sizeOf(b));
      const shown = kind === unanswered ? sorted.toReversed() : sorted;
      return shown.slice(0, shownOfAKind).map((one, i) => `${kind} (${i + 1} of ${attempts.length}): ${describeAttempt(one)}`);
    });
  }
}

const sizeOf = ({ request }: Attempt): number => request.url.length + (request.payload?.length ?? 0);

/** Sends what `next` gives, a number at once, until it gives no more. */
async function storm(next: () => Attempt | null, send: (attempt: Attempt) => Promise<void>): Promise<void> {
  const lane = async (): Promise<void> => {
    for (let attempt = next(); attempt; attempt = next()) await send(attempt);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}

// --------------------------------------------------------------------------------------------------------- who sends, and to what

let targets: Targets;
const cast = ['admin', 'owner', 'manager', 'crew', 'stranger', 'leaver'] as const;
const emailOf = (name: string): string => `${name}@storm.test`;
/** No number of the generator comes near. */
const firstCastId = 6_000_000_001;

/**
 * What is malformed in one part may still be a request that succeeds: it disables a user, removes a member. So those who send are
 * people of the run's own, whose ids and addresses the generator does not know, and everybody else of the world is fair game.
 * Afterwards the accounts of these senders must be exactly as before.
 */
beforeAll(async () => {
  const tokens = await inTransaction(world.db, {}, async (tx) => {
    const act = systemAct('test', noon);
    await sql`alter table app_user alter column id restart with ${sql.lit(firstCastId)}`.execute(tx);
    for (const name of cast) await createUser(tx, act, { email: emailOf(name), name, password, admin: name === 'admin' });
    await addMember(tx, act, world.producer, { email: emailOf('owner'), role: 'owner' });
    await addMember(tx, act, world.producer, { email: emailOf('manager'), role: 'manager' });
    await addCrewMember(tx, act, world.event, { email: emailOf('crew'), role: 'sales_operator' });
    // Enough of what only a delete touches, so that some of many deletes find one.
    for (const id of firstIds) await createSection(tx, act, { title: `Section ${id}` });
    for (const _ of firstIds) await createFeatured(tx, act, { eventId: world.event });
    const signedIn: Record<string, string> = {};
    for (const name of cast) {
      const user = await findUser(tx, emailOf(name));
      if (user) signedIn[name] = (await openSession(tx, user, noon)).login.accessToken;
    }
    return signedIn;
  });
  const created = await world.call('POST', '/auth/tokens', { token: tokens.owner ?? '', body: { name: 'storm', permissions } });
  tokens.apiToken = (created.json() as { token: string }).token;
  const shop = shopOf(world);
  const wanted = [{ itemId: world.item, quantity: 2 }];
  const orders = [(await shop.buy(wanted)).id, (await shop.buy(wanted)).id, (await shop.hold(wanted)).id];
  // Over and done with: who watches one that waits would wait with it.
  const done = { eventId: world.event, userId: world.users.owner, status: 'cancelled' };
  const exports = [await insertExport(world, done), await insertExport(world, done)];
  // A log-out is a good request and is answered 204: who calls it must be nobody that the other requests need.
  targets = {
    tokens,
    reserved: { logout: ['leaver', 'leaver', 'apiToken', 'nobody'] },
    emails: Object.values(world.emails),
    ids: { ...realIds(), orders, exports },
  };
});

/** The first ids of a table: what the world has, and then what the run itself creates. */
const firstIds = Array.from({ length: 30 }, (_, i) => i + 1);

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
    featured: firstIds,
    // The world's items sell through channel 1.
    'sales-period': [1, 1, 2, 3],
  };
}

/** So that the next log-out is not 401. */
const reopenSessions = () =>
  sql`update auth_session set revoked_at = null, revoked_because = null where user_id >= ${firstCastId} and revoked_at is not null`.execute(
    world.db,
  );

async function castAccounts(): Promise<unknown[]> {
  const { rows } = await sql`
    select u.*, (select json_agg(m order by producer_id) from producer_member m where user_id = u.id) as member,
           (select json_agg(c order by event_id) from event_crew c where user_id = u.id) as crew
      from app_user u where u.id between ${firstCastId} and ${firstCastId + cast.length - 1} order by u.id`.execute(world.db);
  return rows;
}

async function expectGoodService(): Promise<void> {
  await reopenSessions();
  for (const name of cast) {
    const me = await world.call('GET', '/auth/me', { token: targets.tokens[name] ?? '' });
    expect(me.statusCode, `${name}: ${me.body}`).toBe(200);
    const login = await world.call('POST', '/auth/login', { body: { email: emailOf(name), password } });
    expect(login.statusCode, `${name}: ${login.body}`).toBe(200);
  }
  expect(await auditFindings(world.db)).toEqual([]);
}

// ------------------------------------------------------------------------------------------------------------------------ the run

/** Whether the answer came from behind the gate: from the check of the input or from the operation itself. */
function wentDeep({ attempt, answer }: Judged): boolean {
  const route = operations.find(({ name }) => name === attempt.operation)?.route;
  if (!answer || attempt.request.method !== route?.method) return false;
  return answer.statusCode < 400 || ['invalid_input', ...(route.problems ?? [])].some((code) => answer.body.includes(`"code":"${code}"`));
}

describe('malformed requests', () => {
  it(`${count} over every operation: none fails, none hangs, every refusal is a problem of the list`, { timeout: 900_000 }, async () => {
    const before = await castAccounts();
    expect(before).toHaveLength(cast.length);
    const findings = new Findings();
    const statuses = new Map<number, number>();
    const deep = new Set<string>();
    const used = new Set<string>();
    let index = first;
    const next = () => (index < first + count && !findings.enough ? malformedRequest(operations, targets, seed, index++) : null);
    await storm(next, async (attempt) => {
      const judged = await judge(world.app, attempt, deadlineMs);
      if (attempt.operation === 'logout') await reopenSessions();
      findings.add(judged);
      const status = judged.answer?.statusCode ?? 0;
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (wentDeep(judged)) deep.add(attempt.operation);
      for (const flaw of attempt.flaws) used.add(flaw);
    });
    if (process.env.MALFORMED_REPORT) console.info(`seed ${seed}:`, Object.fromEntries(statuses));
    expect(findings.lines, `TEST_SEED=${seed}`).toEqual([]);
    expect(await castAccounts()).toEqual(before);
    await expectGoodService();
    if (!isWhole) return;
    const shallow = operations.map(({ name }) => name).filter((name) => !deep.has(name));
    expect(shallow, 'never got behind the gate: give `realIds` ids that these operations take').toEqual([]);
    expect(flawNames.filter((flaw) => !used.has(flaw))).toEqual([]);
  });

  it('a seed gives the same requests again, and another seed gives others', () => {
    const some = (of: number) => Array.from({ length: 300 }, (_, i) => describeAttempt(malformedRequest(operations, targets, of, i)));
    expect(some(seed)).toEqual(some(seed));
    expect(some(seed)).not.toEqual(some(seed + 1));
  });

  it('over a socket: bytes that are not HTTP are refused or cut off, and the next request is served', { timeout: 300_000 }, async () => {
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

describe('control: the check itself, on an operation that is broken', () => {
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

  /** The same requests and the same judgement, on a service of its own with this operation only. */
  async function findingsWith(handler: () => Promise<void>, count: number, deadline = deadlineMs): Promise<string[]> {
    const control = capability({ broken }, { broken: handler });
    const app = await createServer({ logLevel: 'silent', corsOrigins: [], trustProxy: false, rateLimit: null, loadShedding: false });
    mount(app, { db: world.db, clock: () => noon, gate: createGate(world.db, scopes), serve: new Set(['account']) }, [control]);
    const findings = new Findings();
    let index = 0;
    const next = () => (index < count ? malformedRequest(operationsOf([control]), targets, seed, index++) : null);
    await storm(next, async (attempt) => findings.add(await judge(app, attempt, deadline)));
    await app.close();
    return findings.lines;
  }

  it('reports a handler that throws', async () => {
    const findings = await findingsWith(async () => {
      throw new TypeError('undefined is not a function');
    }, 200);
    expect(findings).toContainEqual(expect.stringMatching(/^status 500 .* of broken \(1 of \d{2,}\)/));
  });

  it('reports a handler that does not come back', async () => {
    let release = (): void => undefined;
    const stuck = new Promise<void>((resolve) => {
      release = resolve;
    });
    // Not for ever, as it holds on to a connection of the database.
    const giveUp = setTimeout(() => release(), 2_000);
    const findings = await findingsWith(() => stuck, 20, 500);
    clearTimeout(giveUp);
    release();
    expect(findings).toContainEqual(expect.stringMatching(/^no answer in time/));
  });

  it('finds nothing where nothing is broken', async () => {
    expect(await findingsWith(async () => undefined, 200)).toEqual([]);
  });

  it('reports every way in which a refusal can be no problem of ours', () => {
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
