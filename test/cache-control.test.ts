import { describe, expect, it } from 'vitest';
import { capabilities } from '../src/app.ts';
import type { Route } from '../src/kernel/route.ts';
import { rows } from './access-rows.ts';
import { useWorld } from './harness.ts';

/**
 * What shared caches may do with the response of each GET operation. `public`: keep it for a second, because it is the same for everybody.
 * `no-store`: never keep it. A new operation must be added here. Choose `no-store` if its response has an order, a token, a secret or
 * personal data, or depends on the caller.
 */
const decided: Record<string, 'public' | 'no-store'> = {
  findEvent: 'public',
  getEvent: 'public',
  getEventTickets: 'public',
  getSessionTickets: 'public',
  getAttributes: 'public',
  listCategories: 'public',
  listCategoryEvents: 'public',
  getFeatured: 'public',
  getHomeSections: 'public',
  getHomeCover: 'public',
  getProducerProfile: 'public',
  listProducerEvents: 'public',
  getQueue: 'public',

  getMe: 'no-store',
  listSessions: 'no-store',
  listFactors: 'no-store',
  listApiTokens: 'no-store',
  listUsers: 'no-store',
  getUser: 'no-store',
  listProducers: 'no-store',
  getProducer: 'no-store',
  listMembers: 'no-store',
  listWebhooks: 'no-store',
  getWebhook: 'no-store',
  listDeliveries: 'no-store',
  getDelivery: 'no-store',
  listChanges: 'no-store',
  getTax: 'no-store',
  getCancellation: 'no-store',
  getChecklist: 'no-store',
  getCrew: 'no-store',
  listEvents: 'no-store',
  listFeatured: 'no-store',
  listTypes: 'no-store',
  listItems: 'no-store',
  getItem: 'no-store',
  listTriggers: 'no-store',
  listPasskeys: 'no-store',
  getPasskey: 'no-store',
  listCodes: 'no-store',
  getOrder: 'no-store',
  listOrderNotes: 'no-store',
  getOrderTimeline: 'no-store',
  getOrderDetails: 'no-store',
  getOrderTickets: 'no-store',
  getTicketSvg: 'no-store',
  getTicketPng: 'no-store',
  getTicketsPdf: 'no-store',
  getOrderCalendar: 'no-store',
  listOrders: 'no-store',
  getWaitingListEntry: 'no-store',
  listWaitingList: 'no-store',
  getWaitingListSummary: 'no-store',
  listPaymentMethods: 'no-store',
  listRefunds: 'no-store',
  getSandbox: 'no-store',
  listCheckins: 'no-store',
  listDevices: 'no-store',
  getDoor: 'no-store',
  searchGuests: 'no-store',
  getCounters: 'no-store',
  getManifest: 'no-store',
  getProducerTaxPolicy: 'no-store',
  getEventTaxPolicy: 'no-store',
  listTaxPolicies: 'no-store',
  getUserRoles: 'no-store',
  getHomeSettings: 'no-store',
  getWaitingRoom: 'no-store',
  getSystemHealth: 'no-store',
  getDashboard: 'no-store',
  getBorderoPdf: 'no-store',
  getBordero: 'no-store',
  getGuestlist: 'no-store',
  listExports: 'no-store',
  getExport: 'no-store',
  watchExport: 'no-store',
  getExportFile: 'no-store',
  listMailbox: 'no-store',
  getMailboxMail: 'no-store',
};

const world = useWorld();
const reads = capabilities.flatMap(({ contract }) => Object.entries<Route>(contract)).filter(([, { method }]) => method === 'GET');
const forEverybody = 'public, max-age=0, s-maxage=1, stale-while-revalidate=5';
const forBrowsersToo = 'public, max-age=1, stale-while-revalidate=5';

/** Sends a successful request of the operation. */
async function read(name: string, caller: 'anonymous' | 'admin', method: 'GET' | 'HEAD' = 'GET') {
  const request = await rows[name]?.({ world, caller, target: 'own', id: idFor(name) });
  const headers = caller === 'admin' ? { authorization: `Bearer ${world.tokens.admin}` } : {};
  const answer = await world.app.inject({ method, url: `/v1${request?.path}`, headers });
  expect([name, answer.statusCode]).toEqual([name, 200]);
  return answer;
}

function idFor(name: string): number {
  const access = reads.find(([read]) => read === name)?.[1].access;
  const kind = access?.to === 'permitted' ? access.on[0]?.kind : 'event';
  return { producer: world.producer, item: world.item, passkey: world.passkey }[kind as string] ?? world.event;
}

describe('Cache-Control', () => {
  it('is decided for each GET operation, and the contract says the same', () => {
    const contract = reads.map(([name, { cached }]) => [name, cached ? 'public' : 'no-store']);
    expect(Object.fromEntries(contract)).toEqual(decided);
  });

  it.each(reads.filter(([, { cached }]) => cached))('lets shared caches keep %s for anonymous callers only', async (name, { cached }) => {
    for (const method of ['GET', 'HEAD'] as const) {
      const { headers } = await read(name, 'anonymous', method);
      expect(headers).toMatchObject({ 'cache-control': cached?.browsers ? forBrowsersToo : forEverybody, vary: 'Authorization' });
      expect(headers['set-cookie']).toBeUndefined();
    }
    expect((await read(name, 'admin')).headers['cache-control']).toBe('private, no-cache');
  });

  it.each(reads.filter(([, { cached }]) => !cached))('lets no cache keep %s', async (name, { access }) => {
    for (const caller of access.to === 'anyone' ? (['admin', 'anonymous'] as const) : (['admin'] as const)) {
      expect((await read(name, caller)).headers['cache-control']).toMatch(/\bno-store\b/);
    }
  });

  it('is no-store for writes, problems, health checks and pages with a passkey', async () => {
    const passkey = encodeURIComponent('Open Sesame');
    const paths = [
      `/v1/event/${world.event}/tickets?passkey=${passkey}`,
      `/v1/event/${world.missing}`,
      '/v1/no/such/path',
      '/healthz',
      '/readyz',
    ];
    const answers = [
      ...(await Promise.all(paths.map((url) => world.app.inject({ url })))),
      await world.call('PUT', `/event/${world.event}`, { as: 'owner', body: { saleEnabled: true } }),
      await world.call('POST', '/orders', { body: {} }),
    ];
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 404, 404, 200, 200, 200, 400]);
    for (const { headers } of answers) expect(headers['cache-control']).toBe('no-store');
  });
});
