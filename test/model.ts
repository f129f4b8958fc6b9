import type { PlacedOrder } from '../src/orders/order-schemas.ts';
import type { World } from './harness.ts';
import type { Step } from './model-script.ts';

const perBuyer = 3;
const passkeyText = 'open-sesame';
const holdMinutes = 10;

interface ModelItem {
  id: number;
  quantity: number;
  available: number;
  salable: boolean;
  archived: boolean;
  grouped: boolean;
  hidden: boolean;
  rationed: boolean;
}

interface ModelLine {
  item: ModelItem;
  quantity: number;
  refunded: number;
  restocked: number;
}

interface ModelOrder {
  placed: PlacedOrder;
  status: 'held' | 'approved' | 'cancelled' | 'refunded';
  expiresAt: number;
  extended: boolean;
  /** Null until the buyer is set. */
  buyer: number | null;
  passkey: boolean;
  lines: ModelLine[];
}

interface Limits {
  group: number;
  session: number;
  passkey: number;
}

interface Answer {
  status: number;
  code: string | null;
}

const tokens = new WeakMap<World, string>();

/** Returns an API token, which does not expire during a script. All scripts share it, because the number of tokens per user is limited. */
async function tokenOf(world: World): Promise<string> {
  const permissions = ['item.read', 'item.manage', 'order.refund'];
  const make = async () =>
    (await world.call('POST', '/auth/tokens', { as: 'owner', body: { name: 'Model', permissions } })).json<{ token: string }>().token;
  const token = tokens.get(world) ?? (await make());
  tokens.set(world, token);
  return token;
}

/**
 * A simple model of the expected behaviour. The model has no counters: it computes each number from all orders. It shares no code with the
 * service.
 */
export class Model {
  readonly #world: World;
  readonly #eventId: number;
  readonly #items: ModelItem[];
  readonly #limits: Limits;
  readonly #orders: ModelOrder[] = [];

  /** The API token of the owner. */
  readonly #token: string;

  private constructor(world: World, token: string, eventId: number, items: ModelItem[], limits: Limits) {
    this.#world = world;
    this.#token = token;
    this.#eventId = eventId;
    this.#items = items;
    this.#limits = limits;
  }

  /** Creates an event that has every kind of limit, with small numbers. */
  static async open(world: World): Promise<Model> {
    const write = async (method: 'POST' | 'PUT', path: string, body: object): Promise<{ id: number }> => {
      const answer = await world.call(method, path, { as: 'owner', body });
      if (answer.statusCode >= 300) throw new Error(answer.body);
      return answer.json();
    };
    const limits = { group: 5, session: 8, passkey: 3 };
    const basics = { producerId: world.producer, title: 'Model', category: 'music', timezone: 'UTC' };
    const event = await write('POST', '/event', { ...basics, challenge: 'off', maximumPerOrder: 200 });
    await write('POST', `/event/${event.id}/session`, {
      name: 'Night',
      start: '2026-06-02 20:00:00',
      finish: '2026-06-02 23:00:00',
      capacity: limits.session,
    });
    await write('POST', `/event/${event.id}/publish`, {});
    const group = await write('POST', '/items', { eventId: event.id, name: 'Group', type: 'group', quantity: limits.group });
    const kinds = [{}, { grouped: true }, { grouped: true, rationed: true }, { hidden: true }];
    const items: ModelItem[] = [];
    for (const kind of kinds) {
      const known = { quantity: 8, available: 7, salable: true, archived: false, grouped: false, hidden: false, rationed: false, ...kind };
      const { id } = await write('POST', '/items', {
        eventId: event.id,
        name: 'Seat',
        quantity: known.quantity,
        hidden: known.hidden,
        ...(known.grouped && { parentId: group.id }),
      });
      await write('POST', `/items/${id}/values`, { price: 5000, feeSale: 500, feeProducer: 0 });
      const span = { start: '2026-02-01 10:00:00', finish: '2026-06-01 20:00:00' };
      await write('POST', `/items/${id}/sales-period`, { appCategoryId: 1, ...span, available: known.available });
      if (known.rationed) await write('POST', `/items/${id}/attributes`, { key: 'maximumPerBuyer', value: perBuyer, type: 'integer' });
      items.push({ id, ...known });
    }
    const passkey = await write('POST', '/passkeys', { eventId: event.id, passkey: passkeyText, limit: limits.passkey });
    await write('PUT', `/passkeys/${passkey.id}/items`, { itemIds: items.filter(({ hidden }) => hidden).map(({ id }) => id) });
    return new Model(world, await tokenOf(world), event.id, items, limits);
  }

  async tryBoth(asked: Step): Promise<string | null> {
    if (asked.do === 'wait') {
      this.#world.now = new Date(this.#world.now.getTime() + asked.minutes * 60_000);
      return null;
    }
    const expected = 'item' in asked || asked.do === 'order' ? null : this.#orders[asked.order % Math.max(1, this.#orders.length)];
    if (expected === undefined) return null;
    const { predicted, done } = await this.#perform(asked, expected);
    const same = predicted.status === done.status && predicted.code === done.code;
    return same ? null : `the model says ${JSON.stringify(predicted)}, the service ${JSON.stringify(done)}`;
  }

  #perform(asked: Step, order: ModelOrder | null): Promise<{ predicted: Answer; done: Answer }> {
    if (asked.do === 'order') return this.#place(asked);
    return 'item' in asked ? this.#change(asked) : this.#settle(asked as Extract<Step, { order: number }>, order as ModelOrder);
  }

  /**
   * Adds up the tickets of all order lines that `of` selects and that count against limits. `gone` returns the tickets that count no
   * longer.
   */
  #taken(of: (order: ModelOrder, line: ModelLine) => boolean, gone: (line: ModelLine) => number = ({ restocked }) => restocked): number {
    const now = this.#world.now.getTime();
    const counts = ({ status, expiresAt }: ModelOrder) => (status === 'held' ? expiresAt > now : status !== 'cancelled');
    return this.#orders
      .filter(counts)
      .flatMap((order) => order.lines.filter((line) => of(order, line)))
      .reduce((sum, line) => sum + line.quantity - gone(line), 0);
  }

  #free(item: ModelItem): number {
    const own = this.#taken((_order, line) => line.item === item);
    return Math.min(
      item.quantity - own,
      item.available - own,
      this.#limits.session - this.#taken(() => true),
      item.grouped ? this.#limits.group - this.#taken((_order, line) => line.item.grouped) : Number.POSITIVE_INFINITY,
    );
  }

  #openedLeft(): number {
    return this.#limits.passkey - this.#taken((order, line) => order.passkey && line.item.hidden);
  }

  /** Returns the first reason to refuse the order, or null if the order is accepted. */
  #refusal(lines: readonly { item: ModelItem; quantity: number }[], buyer: number | null, passkey: boolean): Answer | null {
    if (passkey && this.#openedLeft() <= 0) return { status: 403, code: 'passkey_rejected' };
    if (lines.some(({ item }) => item.archived || (item.hidden && !passkey))) return { status: 422, code: 'rule_violation' };
    if (lines.some(({ item }) => !item.salable || item.available === 0)) return { status: 409, code: 'not_on_sale' };
    const opened = lines.filter(({ item }) => item.hidden).reduce((sum, { quantity }) => sum + quantity, 0);
    if (passkey && opened > this.#openedLeft()) return { status: 403, code: 'passkey_rejected' };
    if (this.#isGreedy(lines, buyer)) return { status: 409, code: 'buyer_limit' };
    return this.#isShort(lines) ? { status: 409, code: 'sold_out' } : null;
  }

  #isGreedy(lines: readonly { item: ModelItem; quantity: number }[], buyer: number | null): boolean {
    if (buyer === null) return false;
    return lines.some(({ item, quantity }) => {
      const has = this.#taken((order, line) => order.buyer === buyer && line.item === item);
      return item.rationed && has + quantity > perBuyer;
    });
  }

  /** Whether too few tickets are left. The lines of the order are added up, because they may share a limit. */
  #isShort(lines: readonly { item: ModelItem; quantity: number }[]): boolean {
    const all = lines.reduce((sum, { quantity }) => sum + quantity, 0);
    const grouped = lines.filter(({ item }) => item.grouped).reduce((sum, { quantity }) => sum + quantity, 0);
    return (
      lines.some(({ item, quantity }) => quantity > this.#free(item)) ||
      all > this.#limits.session - this.#taken(() => true) ||
      grouped > this.#limits.group - this.#taken((_order, line) => line.item.grouped)
    );
  }

  async #place({ lines, buyer, passkey }: Extract<Step, { do: 'order' }>) {
    const wanted = lines.map(({ item, quantity }) => ({ item: this.#items[item] as ModelItem, quantity }));
    const predicted = this.#refusal(wanted, buyer, passkey) ?? { status: 201, code: null };
    const answer = await this.#world.call('POST', '/orders', {
      body: {
        eventId: this.#eventId,
        items: wanted.map(({ item, quantity }) => ({ itemId: item.id, quantity })),
        ...(buyer !== null && { buyer: buyerOf(buyer) }),
        ...(passkey && { passkey: passkeyText }),
      },
    });
    if (answer.statusCode === 201) {
      this.#orders.push({
        placed: answer.json(),
        status: 'held',
        expiresAt: this.#world.now.getTime() + holdMinutes * 60_000,
        extended: false,
        buyer,
        passkey,
        lines: wanted.map((line) => ({ ...line, refunded: 0, restocked: 0 })),
      });
    }
    return { predicted, done: answerOf(answer) };
  }

  #isHeld({ status, expiresAt }: ModelOrder): boolean {
    return status === 'held' && expiresAt > this.#world.now.getTime();
  }

  async #settle(asked: Extract<Step, { order: number }>, order: ModelOrder) {
    const { id, secret } = order.placed;
    const write = async (path: string, body?: object, token?: string) =>
      answerOf(await this.#world.call('POST', `/orders/${id}/${path}`, { ...(body && { body }), ...(token && { token }) }));
    if (asked.do === 'pay' || asked.do === 'decline') {
      const predicted = this.#predictPayment(order, asked.do === 'decline');
      const done = await write(`payment?secret=${secret}`, { method: 'card', outcome: asked.do === 'pay' ? 'approve' : 'decline' });
      if (predicted.status === 201) order.status = 'approved';
      return { predicted, done };
    }
    if (asked.do === 'setBuyer') return this.#setBuyer(order, asked.buyer);
    if (asked.do === 'cancel' || asked.do === 'extend') return this.#giveUpOrExtend(asked.do, order, write);
    const body = { restock: asked.restock, ...(asked.one && { lines: [{ itemId: order.lines[0]?.item.id, quantity: 1 }] }) };
    const predicted = this.#refund(order, asked);
    return { predicted, done: await write('refund', body, this.#token) };
  }

  #predictPayment(order: ModelOrder, declined: boolean): Answer {
    if (order.status !== 'held') return { status: 409, code: 'wrong_state' };
    if (!this.#isHeld(order)) return { status: 409, code: 'hold_expired' };
    if (order.buyer === null) return { status: 409, code: 'buyer_required' };
    return declined ? { status: 409, code: 'payment_declined' } : { status: 201, code: null };
  }

  async #setBuyer(order: ModelOrder, buyer: number) {
    const { id, secret } = order.placed;
    const predicted = this.#predictBuyer(order, buyer);
    const done = answerOf(await this.#world.call('PUT', `/orders/${id}/buyer?secret=${secret}`, { body: buyerOf(buyer) }));
    if (predicted.status === 200) order.buyer = buyer;
    return { predicted, done };
  }

  #predictBuyer(order: ModelOrder, buyer: number): Answer {
    if (order.status !== 'held') return { status: 409, code: 'wrong_state' };
    if (!this.#isHeld(order)) return { status: 409, code: 'hold_expired' };
    const isNew = order.buyer !== buyer;
    return isNew && this.#isGreedy(order.lines, buyer) ? { status: 409, code: 'buyer_limit' } : { status: 200, code: null };
  }

  async #giveUpOrExtend(what: 'cancel' | 'extend', order: ModelOrder, write: (path: string) => Promise<Answer>) {
    const allowed = this.#isHeld(order) && (what === 'cancel' || !order.extended);
    const lapsed = what === 'extend' && order.status === 'held' && !this.#isHeld(order);
    const predicted = allowed ? { status: 200, code: null } : { status: 409, code: lapsed ? 'hold_expired' : 'wrong_state' };
    const done = await write(`${what}?secret=${order.placed.secret}`);
    if (allowed && what === 'cancel') order.status = 'cancelled';
    if (allowed && what === 'extend') {
      order.extended = true;
      order.expiresAt += holdMinutes * 60_000;
    }
    return { predicted, done };
  }

  #refund(order: ModelOrder, { restock, one }: Extract<Step, { do: 'refund' }>): Answer {
    if (order.status !== 'approved') return { status: 409, code: 'wrong_state' };
    const [first] = order.lines as [ModelLine];
    if (one && first.refunded === first.quantity) return { status: 422, code: 'rule_violation' };
    for (const line of one ? [first] : order.lines) {
      const back = one ? 1 : line.quantity - line.refunded;
      line.refunded += back;
      if (restock) line.restocked += back;
    }
    if (order.lines.every(({ quantity, refunded }) => quantity === refunded)) order.status = 'refunded';
    return { status: 200, code: null };
  }

  async #change({ do: what, item: index, to }: Extract<Step, { item: number }>) {
    const item = this.#items[index] as ModelItem;
    const own = this.#taken((_order, line) => line.item === item);
    const lapsed = this.#lapsed(item);
    const bounded = what === 'quantity' || what === 'available';
    const path = what === 'available' ? `/items/${item.id}/sales-period` : `/items/${item.id}`;
    const body = what === 'available' ? { appCategoryId: 1, available: to } : { [what]: to };
    const done = answerOf(await this.#world.call('PUT', path, { token: this.#token, body }));
    if (done.status === 200) Object.assign(item, { [what]: to });
    const refused = { status: 422, code: 'rule_violation' };
    const allowed = { status: 200, code: null };
    if (!bounded || to >= own + lapsed) return { predicted: allowed, done };
    if (to < own) return { predicted: refused, done };
    // Expired holds that are not yet released may still count against a lower limit. So both results are correct.
    return { predicted: done.status === 200 ? allowed : refused, done };
  }

  #lapsed(item: ModelItem): number {
    const now = this.#world.now.getTime();
    const lapsed = this.#orders.filter(({ status, expiresAt }) => status === 'held' && expiresAt <= now);
    return lapsed.flatMap(({ lines }) => lines.filter((line) => line.item === item)).reduce((sum, { quantity }) => sum + quantity, 0);
  }

  /** Compares the quantities of each item in the service with the model. Returns the first difference, or null. */
  async compareCounters(): Promise<string | null> {
    for (const item of this.#items) {
      const { sold } = (await this.#world.call('GET', `/items/${item.id}`, { token: this.#token })).json<{ sold: number }>();
      const paid = this.#taken((order, line) => order.status !== 'held' && line.item === item);
      if (sold !== paid) return `item ${item.id}: the model has sold ${paid}, the service ${sold}`;
    }
    return null;
  }
}

const buyerOf = (n: number) => ({ name: 'Ana Souza', email: `ana${n}@test.test` });

const answerOf = ({ statusCode, body }: { statusCode: number; body: string }): Answer => ({
  status: statusCode,
  code: statusCode < 300 ? null : (JSON.parse(body) as { code: string }).code,
});
