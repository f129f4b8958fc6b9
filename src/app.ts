import type { Writable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { createGate } from './accounts/gate.ts';
import { accounts } from './accounts/routes.ts';
import { describeKeys } from './accounts/signing-keys.ts';
import { catalog } from './catalog/routes.ts';
import { codes } from './codes/routes.ts';
import type { Config } from './config.ts';
import { markSeen } from './door/devices.ts';
import { door } from './door/routes.ts';
import { findEventsOf, findScopeOf } from './events/event-of.ts';
import { events } from './events/routes.ts';
import { findExportScope } from './exports/permission.ts';
import { exports } from './exports/routes.ts';
import { home } from './home/routes.ts';
import { serveReference } from './http/api-reference-page.ts';
import { serveAssets } from './http/assets.ts';
import type { Capability } from './http/capability.ts';
import { databaseMetrics } from './http/database-metrics.ts';
import { serveHealth } from './http/health.ts';
import { serveMetrics } from './http/metrics.ts';
import { mount } from './http/mount.ts';
import { openapi } from './http/openapi.ts';
import { allPagesTag } from './http/page-cache.ts';
import { mountPages } from './http/page-routes.ts';
import { servePictures } from './http/serve-pictures.ts';
import { createServer } from './http/server.ts';
import type { Tracing } from './kernel/tracing.ts';
import { orderMetrics } from './orders/order-metrics.ts';
import { orders } from './orders/routes.ts';
import { passkeys } from './passkeys/routes.ts';
import { noticeMetrics } from './payments/notices.ts';
import { paymentMetrics } from './payments/payment-metrics.ts';
import { noProviders, openProviders, type Providers } from './payments/providers/open-providers.ts';
import { returnMoney } from './payments/refunds.ts';
import { payments } from './payments/routes.ts';
import { openFiles } from './platform/files/open-files.ts';
import { mailboxFolder } from './platform/mail/create-mailer.ts';
import { mailMetrics } from './platform/mail/outbox.ts';
import { mailbox } from './platform/mail/routes.ts';
import { pageChannel } from './platform/page-changes.ts';
import { type ReceivePicture, receivePictures } from './platform/pictures/picture-store.ts';
import { type Connections, type Database, hasCitus } from './postgres/database.ts';
import { reports } from './reports/routes.ts';
import { readEvent } from './storefront/event.ts';
import { storefront } from './storefront/routes.ts';
import { system } from './system/routes.ts';
import { tax } from './tax/routes.ts';
import { waitingList } from './waiting-list/routes.ts';
import { waitingRoom } from './waiting-room/routes.ts';
import { waitingRoomMetrics } from './waiting-room/waiting-room-metrics.ts';
import { loadBuiltFiles } from './web/built-files.ts';
import { shopRoutes } from './web/routes.ts';
import { createShop } from './web/shop.ts';
import { type WebhookSettings, webhooks } from './webhooks/routes.ts';
import { webhookMetrics } from './webhooks/webhook-metrics.ts';
import { retentionMetrics } from './worker/retention-metrics.ts';

interface CapabilityParts {
  mailboxOf: string | null;
  testMoney: boolean;
  providers: Providers;
  paymentMs: number;
  clock: () => Date;
  shopUrl: string;
  receivePicture: ReceivePicture;
  webhookSettings: WebhookSettings;
}

/** All capabilities of the API. Mailbox, orders and payments depend on the configuration, and pictures on the file store. */
const capabilitiesOf = ({ mailboxOf, receivePicture, webhookSettings, ...shop }: CapabilityParts): readonly Capability[] => [
  accounts({ receivePicture, siteUrl: shop.shopUrl }),
  tax,
  events({ reservedSlugs, read: readEvent, receivePicture, shopUrl: shop.shopUrl }),
  catalog(readEvent),
  passkeys,
  codes,
  storefront,
  home(receivePicture),
  waitingRoom,
  orders({ testMoney: shop.testMoney, returnMoney, shopUrl: shop.shopUrl }),
  payments(shop),
  waitingList,
  door({ shopUrl: shop.shopUrl }),
  reports,
  exports,
  webhooks(webhookSettings),
  system(shop),
  mailbox(mailboxOf),
];
/** For the description of the API. No request is handled with these. */
export const capabilities = capabilitiesOf({
  mailboxOf: null,
  testMoney: true,
  providers: noProviders,
  paymentMs: 0,
  clock: () => new Date(0),
  shopUrl: '',
  receivePicture: () => Promise.reject(new Error('There is no file store')),
  webhookSettings: { allowPrivate: false, changeDays: null, testMoney: true },
});

/** First path segments that are reserved, because later releases may use them. */
const plannedSegments = ['orders', 'exports', 'checkins', 'shop', 'door', 'web', 'docs', 'search', 'webhooks', 'pictures'];

/** A category page is at `/{slug}`, so a slug must not equal the first segment of another path. */
function reservedSlugs(): ReadonlySet<string> {
  const paths = capabilities.flatMap(({ contract }) => Object.values(contract).map(({ path }) => path));
  return new Set([...plannedSegments, ...paths.map((path) => path.split('/')[1] ?? '')]);
}

/** For each kind of object, the function that finds its event and producer. Roles in that event or producer give permission on the object. */
export const scopes = {
  item: findScopeOf('item'),
  passkey: findScopeOf('passkey'),
  order: findScopeOf('ticket_order'),
  export: findExportScope,
};

const apiVersion = '1.0.0';

export const describeApi = () =>
  openapi(
    capabilities.map(({ contract }) => contract),
    apiVersion,
  );

/** The header that tells clients of the shop that payments use test money. */
const testMoneyHeader = 'tessera-test-money';

export type App = FastifyInstance;

export interface AppContext {
  db: Database;
  /** See `Connections`. Default: `db`. */
  longDb?: Database;
  readDb?: Database;
  state?: Connections['state'];
  /** Subscribes to the changes that other processes make. Without this function, cached pages show those changes up to one second late. */
  listen?: Connections['listen'];
  clock: () => Date;
  tracing?: Tracing | undefined;
  /** The stream that the log is written to. Default: standard output. */
  logTo?: Writable;
}

export async function createApp(
  config: Config,
  { db, longDb = db, readDb = db, state, listen, clock, logTo, tracing }: AppContext,
): Promise<App> {
  const app = await createServer({ ...config, logTo, tracing });
  serveHealth(app, db, config.readOnly);
  serveMetrics(app, config, [
    ...mailMetrics(db),
    noticeMetrics(db),
    ...paymentMetrics(db),
    ...retentionMetrics(db),
    orderMetrics(db),
    ...webhookMetrics(db),
    ...waitingRoomMetrics(db, clock),
    ...(state ? databaseMetrics({ db, readDb, state }) : []),
  ]);
  serveReference(app, describeApi);
  app.get('/.well-known/jwks.json', () => describeKeys(db));
  // A standby does not support LISTEN. The page cache is never older than a second anyway.
  if (!config.readOnly) listen?.(pageChannel, (event) => app.pageCache.drop(event ?? allPagesTag));
  const files = openFiles(config);
  servePictures(app, files);
  const context = {
    db,
    longDb,
    readDb,
    databasePool: config.databasePool,
    readOnly: config.readOnly,
    findEventsOfOrders: (ids: readonly number[]) => findEventsOf(db, 'ticket_order', ids),
    clock,
    gate: createGate(db, scopes, markSeen),
    serve: config.serve,
    shopUrl: config.publicUrl,
    shedding: config.loadShedding,
    oneEventPerBatch: await hasCitus(db),
    files,
    tracing,
    groupHeaders: config.payments.has('sandbox') ? { shop: { [testMoneyHeader]: 'true' } } : {},
  };
  const providers = await openProviders(config, db, clock);
  const testMoney = config.payments.has('sandbox');
  const receivePicture = receivePictures({ db, files });
  const parts = {
    mailboxOf: mailboxFolder(config),
    receivePicture,
    testMoney,
    providers,
    paymentMs: config.paymentMs,
    clock,
    shopUrl: config.publicUrl,
    webhookSettings: { allowPrivate: config.webhooksAllowPrivate, changeDays: config.retention.changeDays, testMoney },
  };
  const perform = mount(app, context, capabilitiesOf(parts));
  if (config.serve.has('web')) {
    const built = await loadBuiltFiles();
    serveAssets(app, '/assets/', built.assets);
    serveAssets(app, '/door/files/', built.doorAssets);
    serveAssets(app, '/console/files/', built.consoleAssets);
    mountPages(app, { db, clock, perform, ...shopRoutes(createShop(config, built, providers)) });
  } else {
    app.get('/', (_request, reply) => reply.redirect('/docs'));
  }
  return app;
}
