import { eventTypes } from '../../src/payments/providers/stripe/notices.ts';
import { eventually } from '../eventually.ts';
import type { DataFolder, ExitResult, Service } from '../process.ts';
import { Dice, testSeed } from '../random.ts';
import type { RemoteStandIn } from '../stripe/remote.ts';
import { stripeSettings, webhookSecret } from '../stripe/settings.ts';
import { Buyers, type Habits, type Sale } from './buyers.ts';
import type { Facts } from './find-faults.ts';
import { kinds, type Point, points, reach, type Scene } from './kill-points.ts';
import { PersistentClient } from './persistent-client.ts';
import { Postman } from './postman.ts';
import { type Kind, ProviderGate } from './provider-gate.ts';
import { readFacts } from './read-facts.ts';

const buyerCount = 3;

/** What goes wrong at the provider, besides late responses: see `ProviderGate`. */
const providerFaults = [
  { kind: 'cut_before_effect', fraction: 0.03 },
  { kind: 'cut_after_effect', fraction: 0.03, method: 'POST' },
  { kind: 'cut_body', fraction: 0.02 },
  { kind: 'rate_limit', fraction: 0.01 },
  { kind: 'api_error_after_effect', fraction: 0.03, method: 'POST' },
] as const;

export interface ShopSetup {
  folder: DataFolder;
  environment: Record<string, string>;
  standIn: RemoteStandIn;
  /** The address that the gate forwards to: the stand-in, or a proxy in front of it. */
  provider: string;
  habits: Habits;
  owner: { email: string; password: string; producerId: number };
}

interface Kill {
  point: Point;
  kind: Kind;
  /** Chooses one of two ways to be at the point. */
  variant: boolean;
}

/** `rounds` kills at each point, for each kind. */
export const killsAtEachPoint = (rounds: number): Kill[] =>
  Array.from({ length: rounds }, (_, round) =>
    points.flatMap((point, p) => kinds.map((kind, k) => ({ point, kind, variant: (round + p + k) % 2 === 0 }))),
  ).flat();

type Opened = ShopSetup & Pick<Scene, 'gate' | 'db'> & { client: PersistentClient; sale: Sale; service: Service };

/** A shop that sells through a provider, with a service that is killed and started again. */
export class KilledShop {
  readonly #opened: Opened;
  readonly #scene: Scene;
  readonly #kills: Record<Point, number> = { begin: 0, call: 0, effect: 0, answer: 0, apply: 0, notice: 0 };
  readonly #delayed: Promise<void>[] = [];
  #service: Service;

  private constructor(opened: Opened) {
    const { sale, client, standIn, habits, gate, db, service } = opened;
    this.#opened = opened;
    this.#service = service;
    const buyers = new Buyers(sale, client, standIn, habits);
    this.#scene = { eventId: sale.eventId, buyers, gate, postman: new Postman(standIn), db, dice: new Dice(testSeed, 1_000_000) };
  }

  static async open(setup: ShopSetup): Promise<KilledShop> {
    const gate = new ProviderGate(setup.provider, new Dice(testSeed, 3_000_000));
    const environment = { ...setup.environment, ...stripeSettings, STRIPE_API_BASE: await gate.open() };
    const db = await setup.folder.connect();
    const service = await setup.folder.serve(environment);
    const sale = await openSale(service, setup.owner);
    const shop = new KilledShop({ ...setup, environment, gate, db, service, sale, client: new PersistentClient() });
    await shop.#connect(service);
    for (const fault of providerFaults) await setup.standIn.addFault(fault);
    shop.#scene.postman.start();
    shop.#scene.buyers.start(buyerCount);
    return shop;
  }

  async close(): Promise<void> {
    await this.#scene.postman.stop();
    await this.#scene.gate.close();
    await this.#scene.db.end();
  }

  /** Kills the service at a point and starts it again. */
  async kill({ point, kind, variant }: Kill): Promise<void> {
    const { killed, restarted } = await reach(point, this.#scene, kind, variant);
    await this.#service.end('SIGKILL');
    this.#kills[point]++;
    await killed?.();
    await this.#restart();
    if (!restarted) return;
    const delayed = restarted();
    // `settle` waits for it. Until then a rejection counts as handled.
    delayed.catch(() => undefined);
    this.#delayed.push(delayed);
  }

  /** While the service is down, the leases of the killed process end. The test does not wait for that minute. */
  async #restart(): Promise<void> {
    const { db } = this.#scene;
    await db.query(`update payment set due_at = now() where due_at > now() and status <> 'pending'`);
    await db.query(`update refund set due_at = now() where due_at > now() and status = 'begun'`);
    await db.query(`update payment_notice set due_at = now() where due_at > now() and status = 'received'`);
    const { folder, environment } = this.#opened;
    await this.#connect(await folder.serve(environment));
  }

  /** Buyers and provider use this process from now on. */
  async #connect(service: Service): Promise<void> {
    this.#service = service;
    this.#opened.client.origin = service.origin;
    const url = `${service.origin}/v1/payments/stripe/notices`;
    await this.#opened.standIn.setEndpoint({ url, secret: webhookSecret, delivery: 'held', enabledEvents: eventTypes });
  }

  /** All buyers leave, the provider works again, and the service finishes its work. */
  async settle(): Promise<void> {
    const { buyers, postman } = this.#scene;
    await Promise.all(this.#delayed);
    await buyers.close();
    await this.#opened.standIn.clearFaults();
    await buyers.payAll();
    await postman.stop();
    await this.#service.end('SIGKILL');
    await this.#restart();
    await this.#waitForWork();
    // The notices about these refunds do not arrive.
    await postman.settleRefunds();
    const { code, stderr } = await this.#run('reconcile', '--days', '1');
    if (code !== 0) throw new Error(`tessera reconcile failed: ${stderr}`);
    await this.#waitForWork();
  }

  #waitForWork(): Promise<boolean> {
    return eventually('no payment, refund or notice is begun', async () => {
      const { rows } = await this.#scene.db.query<{ work: string }>(
        `select (select count(*) from payment where status = 'begun') + (select count(*) from refund where status = 'begun')
              + (select count(*) from payment_notice where status = 'received') as work`,
      );
      return Number(rows[0]?.work) === 0;
    });
  }

  /** The time of all open payments ends. */
  async expire(): Promise<void> {
    const { db } = this.#scene;
    await this.#service.end('SIGTERM');
    await db.query(`update payment set expires_at = now(), due_at = now() where status = 'pending'`);
    await this.#restart();
    await eventually('no payment is due', async () => (await db.query('select from payment where due_at is not null')).rowCount === 0);
  }

  audit(): Promise<ExitResult> {
    return this.#run('audit');
  }

  #run(...args: string[]): Promise<ExitResult> {
    const { folder, environment } = this.#opened;
    return folder.run(args, { environment });
  }

  async readFacts(): Promise<Facts> {
    const { db, eventId, buyers } = this.#scene;
    return readFacts(db, this.#opened.standIn, eventId, buyers.told);
  }

  /** Responses that nobody expects. */
  get strange(): readonly string[] {
    return this.#scene.buyers.strange;
  }

  get counts(): Record<string, unknown> {
    const kills = Object.values(this.#kills).reduce((sum, n) => sum + n, 0);
    return { kills, ...this.#kills, ...this.#opened.client.counts, notices: this.#scene.postman.counts };
  }
}

async function openSale(service: Service, { email, password, producerId }: ShopSetup['owner']): Promise<Sale> {
  const { token } = await service.logIn(email, password);
  const post = async (path: string, body: object) => {
    const answer = await service.call('POST', `/v1${path}`, { token, body });
    if (answer.status >= 300) throw new Error(JSON.stringify(answer.body));
    return (answer.body as { id: number }).id;
  };
  const quantity = 1_000_000;
  const eventId = await post('/event', { producerId, title: 'On sale', category: 'music', timezone: 'UTC', challenge: 'off' });
  const hours = { start: '2098-06-01 20:00:00', finish: '2098-06-01 23:00:00' };
  await post(`/event/${eventId}/session`, { name: 'Night', ...hours, capacity: quantity });
  await post(`/event/${eventId}/publish`, {});
  const itemId = await post('/items', { eventId, name: 'Standing', quantity });
  await post(`/items/${itemId}/values`, { price: 8013, feeSale: 807, feeProducer: 203 });
  const span = { start: '2020-01-01 00:00:00', finish: '2098-01-01 00:00:00' };
  await post(`/items/${itemId}/sales-period`, { appCategoryId: 1, ...span, available: quantity });
  return { eventId, itemId, token };
}
