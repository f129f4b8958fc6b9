import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createGate } from '../src/accounts/gate.ts';
import { capabilities, scopes } from '../src/app.ts';
import { mount } from '../src/http/mount.ts';
import { createServer } from '../src/http/server.ts';
import type { Access, ScopeKind } from '../src/kernel/access.ts';
import type { Route } from '../src/kernel/route.ts';
import { type Cell, type RowRequest, rows, type Target, targets } from './access-rows.ts';
import { useWorld } from './harness.ts';
import { holders } from './role-holders.ts';
import { stripeSettings } from './stripe/settings.ts';
import { type Caller, callers } from './world.ts';

const world = useWorld({ ...stripeSettings, PAYMENTS: 'sandbox,cash,stripe' });
// Many cells place an order of their own.
beforeAll(async () => {
  await world.pool.query('update item set quantity = 100000 where id = $1', [world.item]);
  await world.pool.query('update sale_period set available = 100000 where item_id = $1', [world.item]);
});

const isDrawing = (name: string): boolean => name.endsWith('Pdf');
/** PDF files come first, because the other rows create hundreds of items and orders, which would all be drawn for each caller. */
const operations = capabilities
  .flatMap(({ contract }) => Object.entries(contract))
  .toSorted(([a], [b]) => Number(isDrawing(b)) - Number(isDrawing(a)));

/** Returns the kind of resource that the id of the target belongs to. If an operation checks several kinds, it is the first kind. */
const kindOf = ({ on }: Extract<Access, { to: 'permitted' }>): ScopeKind | undefined => on[0]?.kind;

type Who = Caller | 'anonymous' | 'device';
const everybody: Who[] = ['anonymous', 'device', ...callers];

/** The token of a device of the first event. */
let deviceToken = '';
beforeAll(async () => {
  const created = await world.call('POST', `/event/${world.event}/devices`, { as: 'owner', body: { name: 'Phone' } });
  deviceToken = created.json().token;
});

function expectedStatus({ access, answer }: Route, who: Who, target: Target): number {
  if (who === 'device') return isOpenToDevice(access, target) ? answer.status : 403;
  if (access.to === 'anyone') return answer.status;
  if (who === 'anonymous') return 401;
  if (access.to === 'signedIn') return answer.status;
  if (access.to === 'admin') return who === 'admin' ? answer.status : 403;
  if (target === 'missing') return 404;
  if (who === 'admin') return answer.status;
  if (target === 'otherProducer') return who === 'otherOwner' ? answer.status : 404;
  if (who === 'otherOwner' || who === 'stranger') return 404;
  const isCrew = who.startsWith('crew_');
  if (isCrew && (kindOf(access) === 'producer' || target === 'otherEvent')) return 404;
  return holders[access.permission].includes(who) ? answer.status : 403;
}

const isOpenToDevice = (access: Access, target: Target): boolean =>
  access.to === 'anyone' ? access.tokenIgnored === true : access.to === 'permitted' && access.orDevice === true && target === 'own';

/** A device is refused before its request is read. Then the target may be missing, so that the row need not create it. */
const targetsOf = (route: Route, who: Who): readonly Target[] =>
  who === 'device' && route.access.to === 'permitted' && !route.access.orDevice ? ['missing'] : targetsOfUsers(route);

const targetsOfUsers = ({ access }: Route): readonly Target[] => {
  if (access.to !== 'permitted') return ['own'];
  return kindOf(access) === 'producer' ? ['own', 'otherProducer', 'missing'] : targets;
};

function idOf({ access }: Route, target: Target): number {
  if (target === 'missing') return world.missing;
  if (access.to === 'permitted' && kindOf(access) === 'producer') return target === 'own' ? world.producer : world.otherProducer;
  if (access.to === 'permitted' && kindOf(access) === 'item') {
    return { own: world.item, otherEvent: world.siblingItem, otherProducer: world.foreignItem }[target];
  }
  if (access.to === 'permitted' && kindOf(access) === 'passkey') {
    return { own: world.passkey, otherEvent: world.siblingPasskey, otherProducer: world.foreignPasskey }[target];
  }
  return { own: world.event, otherEvent: world.siblingEvent, otherProducer: world.foreignEvent }[target];
}

async function send(app: FastifyInstance, route: Route, who: Who, asked: RowRequest): Promise<number> {
  const token = tokenOf(who, asked);
  const answer = await app.inject({
    method: route.method,
    url: `/v1${asked.path}`,
    headers: { ...asked.headers, ...(token && { authorization: `Bearer ${token}` }) },
    ...(asked.body !== undefined && { payload: asked.body as object }),
  });
  return answer.statusCode;
}

function tokenOf(who: Who, asked: RowRequest): string | null {
  if (who === 'anonymous') return null;
  return who === 'device' ? deviceToken : (asked.token ?? world.tokens[who]);
}

/**
 * Returns a function that builds the request of a cell. A request that is refused changes nothing, so all callers that are refused share one
 * request per target, unless the request depends on the caller. Most requests are refused, and building one takes longer than sending it.
 */
function requestBuilder(name: string, route: Route) {
  const shared = new Map<Target, RowRequest>();
  return async (caller: Who, target: Target, isRefused: boolean): Promise<RowRequest | undefined> => {
    const known = isRefused && shared.get(target);
    if (known) return known;
    let isOfCaller = false;
    const cell: Cell = {
      world,
      target,
      id: idOf(route, target),
      get caller() {
        isOfCaller = true;
        return caller === 'device' ? 'anonymous' : caller;
      },
    };
    const built = await rows[name]?.(cell);
    if (built && isRefused && !isOfCaller) shared.set(target, built);
    return built;
  };
}

/** Sends the request of one operation for each caller and each target. Yields the combinations (cells) with an unexpected status. */
async function* wrongCells(app: FastifyInstance, name: string, route: Route, who = everybody): AsyncGenerator<string> {
  const build = requestBuilder(name, route);
  for (const caller of who) {
    for (const target of targetsOf(route, caller)) {
      const expected = expectedStatus(route, caller, target);
      const asked = await build(caller, target, expected >= 400);
      const status = asked ? await send(app, route, caller, asked) : 0;
      if (status !== expected) yield `${name} by ${caller} on ${target}: ${status} instead of ${expected}`;
    }
  }
}

describe('the access matrix', () => {
  it('has exactly one row in access-rows.ts for each operation', () => {
    expect(Object.keys(rows).toSorted()).toEqual(operations.map(([name]) => name).toSorted());
  });

  it.each(operations)('%s returns the expected status to each caller for each target', async (name, route) => {
    const wrong: string[] = [];
    for await (const cell of wrongCells(world.app, name, route)) wrong.push(cell);
    expect(wrong).toEqual([]);
  });
});

describe('the operations that a device may call', () => {
  it('are those of the door app, and no others', () => {
    const open = operations.filter(([, { access }]) => access.to === 'permitted' && access.orDevice).map(([name]) => name);
    expect(open.toSorted()).toEqual(['getCounters', 'getDoor', 'getManifest', 'makeCheckins', 'undoCheckins']);
  });
});

describe('control: a gate that allows everything', () => {
  let open: FastifyInstance;
  afterAll(() => open.close());

  it('causes at least one unexpected status for each operation that needs a permission', async () => {
    open = await createServer(world.config);
    const gate = { ...createGate(world.db, scopes), authorize: async () => 'allowed' as const };
    mount(open, { db: world.db, gate, clock: () => world.now, serve: world.config.serve }, capabilities);
    const guarded = operations.filter(([, { access }]) => access.to === 'permitted');
    // The test needs one wrong cell. Callers with the fewest permissions come first, so that the test finds it early.
    const fewestFirst = everybody.toReversed();
    for (const [name, route] of guarded) expect((await wrongCells(open, name, route, fewestFirst).next()).done, name).toBe(false);
  }, 180_000);
});
