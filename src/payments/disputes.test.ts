import { beforeAll, describe, expect, it } from 'vitest';
import { auditFindings } from '../../test/audit-findings.ts';
import { useStripeShop } from '../../test/stripe/use-stripe-shop.ts';
import { minutesAfterNoon } from '../../test/world.ts';
import type { CheckinResult, Manifest } from '../door/contract.ts';
import type { Order, OrderDispute, PlacedOrder } from '../orders/order-schemas.ts';
import { writeLetter } from '../platform/mail/letter.ts';
import { inTransaction } from '../postgres/transaction.ts';
import type { Bordero } from '../reports/contract.ts';
import { mailRenderersOf } from '../worker/mail-renderers.ts';
import { finishPayments } from './finish-payments.ts';
import { finishRefunds } from './finish-refunds.ts';

const { world, standIn, shop, run, rowsOf, start, read, ticketsOf, deliver, chargesOf } = useStripeShop();
const crew = { as: 'crew_sales_manager' } as const;
const fee = 5500;
/** The stand-in takes 3.99 % and 39 cents of a payment of 55.00. */
const feeOfCard = 258;
let seat = 0;

/** The doors of the session are open during the tests. */
beforeAll(async () => {
  const session = { name: 'Now', start: '2026-03-02 08:00:00', finish: '2026-03-02 14:00:00' };
  const { id } = await shop.write('POST', `/event/${world.event}/session`, session);
  seat = await shop.newItem({ item: { sessionIds: [id] } });
});

const hold = () => shop.hold([{ itemId: seat, quantity: 1 }]);

async function buyByCard(): Promise<{ order: PlacedOrder; charge: string }> {
  const order = await hold();
  const { intent } = await start(order, { method: 'card' });
  standIn.confirm(intent, { paymentMethod: 'pm_card_visa' });
  await deliver();
  expect((await read(order)).status).toBe('approved');
  return { order, charge: chargesOf(intent)[0]?.id ?? '' };
}

const readByCrew = async ({ id }: PlacedOrder) => (await world.call('GET', `/orders/${id}`, crew)).json<Order>();
const disputesOf = async (order: PlacedOrder): Promise<OrderDispute[]> => (await readByCrew(order)).disputes;
const postingsOf = (order: PlacedOrder) =>
  rowsOf(`select reason, source, target, amount from ledger_posting where order_id = $1 and reason like 'dispute%' order by id`, order.id);
const withdrawal = [
  { reason: 'dispute', source: 'producer', target: 'payment:card', amount: 5500 },
  { reason: 'dispute_fee', source: 'producer', target: 'fee:stripe:card', amount: fee },
];
const reversal = { reason: 'dispute', source: 'payment:card', target: 'producer', amount: 5500 };

/** The mails about disputes of the order, with their recipients, as text. */
async function mailsOf(order: PlacedOrder): Promise<{ to: string; text: string }[]> {
  const rows = await rowsOf(
    `select recipient, locale, payload from mail where kind = 'payment_disputed' and payload ->> 'orderId' = $1 order by id`,
    String(order.id),
  );
  const { payment_disputed: render } = mailRenderersOf(world.config);
  const rendered = await inTransaction(world.db, { readOnly: true }, (tx) => Promise.all(rows.map((mail) => render(tx, mail as never))));
  return rendered.flatMap((mail) => (mail ? [{ to: mail.to.address, text: writeLetter(mail.letter).text }] : []));
}

let scans = 0;
async function scan(order: PlacedOrder): Promise<CheckinResult> {
  const [ticket] = await ticketsOf(order);
  const entry = { code: ticket?.code ?? '', at: world.now.toISOString(), device: 'gate-1', nonce: `scan-${++scans}` };
  const answer = await world.call('POST', `/event/${world.event}/checkins`, { as: 'crew_entrance_operator', body: { entries: [entry] } });
  return answer.json<{ results: CheckinResult[] }>().results[0] as CheckinResult;
}

const manifest = async (since?: string): Promise<Manifest> =>
  (
    await world.call('GET', `/event/${world.event}/checkins/manifest${since === undefined ? '' : `?since=${since}`}`, {
      as: 'crew_entrance_operator',
    })
  ).json();

const setRule = (disputedTickets: 'admit' | 'refuse') => shop.write('PUT', `/event/${world.event}`, { disputedTickets });

describe('a dispute', () => {
  it('marks the order, is posted once, and tells the owners, even if its notices arrive twice', async () => {
    const { order, charge } = await buyByCard();
    standIn.openDispute(charge, 'fraudulent');
    await deliver({ copies: 2 });
    expect(await disputesOf(order)).toMatchObject([
      { amount: 5500, fee, reason: 'fraudulent', status: 'open', returnedTwice: 0, openedAt: world.now.toISOString(), closedAt: null },
    ]);
    expect((await read(order)).disputes).toMatchObject([{ status: 'open', fee: null }]);
    expect(await postingsOf(order)).toEqual(withdrawal);
    const mails = await mailsOf(order);
    expect(mails.map(({ to }) => to)).toEqual([world.emails.owner]);
    expect(mails[0]?.text).toContain(`Pagamento contestado: pedido ${order.id}`);
    expect(mails[0]?.text).toContain('Responda à contestação no painel de stripe');
    const listed = await world.call('GET', `/event/${world.event}/orders?dispute=open&count=true`, crew);
    expect(listed.json<{ data: Order[] }>().data.map(({ id }) => id)).toEqual([order.id]);
    expect((await world.call('GET', `/event/${world.event}/orders?dispute=won&count=true`, crew)).json()).toMatchObject({ total: 0 });
  });

  it('that is won returns the amount, and the fee stays', async () => {
    const { order, charge } = await buyByCard();
    const { id } = standIn.openDispute(charge, 'fraudulent');
    await deliver();
    standIn.closeDispute(id, 'won');
    await deliver({ copies: 2 });
    expect(await disputesOf(order)).toMatchObject([{ status: 'won', fee, closedAt: world.now.toISOString() }]);
    expect(await postingsOf(order)).toEqual([...withdrawal, reversal]);
    expect((await mailsOf(order)).map(({ text }) => text.split('\n')[0])).toEqual([
      `Pagamento contestado: pedido ${order.id}, first-event`,
      `Contestação ganha: pedido ${order.id}, first-event`,
    ]);
  });

  it('that is lost keeps its postings, and tells the owners', async () => {
    const { order, charge } = await buyByCard();
    const { id } = standIn.openDispute(charge, 'product_not_received');
    standIn.closeDispute(id, 'lost');
    await deliver();
    expect(await disputesOf(order)).toMatchObject([{ status: 'lost', reason: 'product_not_received' }]);
    expect(await postingsOf(order)).toEqual(withdrawal);
    expect((await mailsOf(order)).map(({ text }) => text.split('\n')[0])).toEqual([`Contestação perdida: pedido ${order.id}, first-event`]);
  });

  it.each(['won', 'lost'] as const)('that is %s has the same result if its notices arrive in reverse, one by one', async (outcome) => {
    const { order, charge } = await buyByCard();
    const { id } = standIn.openDispute(charge, 'fraudulent');
    standIn.closeDispute(id, outcome);
    const events = standIn.heldEvents().map((event) => event.id);
    for (const event of events.toReversed()) await deliver({ ids: [event] });
    expect(await disputesOf(order)).toMatchObject([{ status: outcome, fee }]);
    const posted = (await postingsOf(order)).filter(({ reason }) => reason === 'dispute');
    expect(posted).toEqual(outcome === 'won' ? [] : withdrawal.slice(0, 1));
    expect(await mailsOf(order)).toHaveLength(1);
  });

  it('waits for its payment if its notice arrives first', async () => {
    const order = await hold();
    const { intent } = await start(order, { method: 'card' });
    standIn.confirm(intent, { paymentMethod: 'pm_card_visa' });
    standIn.openDispute(chargesOf(intent)[0]?.id ?? '', 'fraudulent');
    await deliver({ types: ['charge.dispute.created'] });
    expect(await disputesOf(order)).toEqual([]);
    await deliver();
    world.now = minutesAfterNoon(1);
    await deliver();
    expect(await disputesOf(order)).toMatchObject([{ status: 'open' }]);
    expect(await postingsOf(order)).toEqual(withdrawal);
  });

  it('refuses refunds of the order until it is won', async () => {
    const { order, charge } = await buyByCard();
    const { id } = standIn.openDispute(charge, 'fraudulent');
    await deliver();
    const refused = await shop.refund(order);
    expect(refused.statusCode).toBe(409);
    expect(refused.json()).toMatchObject({
      code: 'wrong_state',
      detail: expect.stringMatching(/^The buyer disputed the payment/) as string,
    });
    standIn.closeDispute(id, 'won');
    await deliver();
    expect((await shop.refund(order)).statusCode).toBe(200);
    await run(finishRefunds);
    expect((await readByCrew(order)).refunds).toMatchObject([{ status: 'done' }]);
  });

  it('refuses the retry of a failed refund until it is won', async () => {
    const { order, charge } = await buyByCard();
    await shop.refund(order);
    standIn.openDispute(charge, 'fraudulent');
    await run(finishRefunds);
    await deliver();
    const { refunds, disputes } = await readByCrew(order);
    expect(refunds).toMatchObject([{ status: 'failed' }]);
    expect(disputes).toMatchObject([{ status: 'open', returnedTwice: 0 }]);
    const path = `/orders/${order.id}/refunds/${refunds[0]?.id}`;
    expect((await world.call('POST', `${path}/retry`, crew)).statusCode).toBe(409);
    expect((await world.call('POST', `${path}/settle`, { ...crew, body: { note: 'The bank returned it' } })).statusCode).toBe(200);
    expect((await disputesOf(order))[0]?.returnedTwice).toBe(5500);
    standIn.closeDispute((await standIn.client().disputes.list()).data[0]?.id ?? '', 'lost');
    await deliver();
  });

  it('of money that was refunded says so in the order, in the mail and in the audit', async () => {
    const { order, charge } = await buyByCard();
    await shop.refund(order);
    await run(finishRefunds);
    const { id } = standIn.openDispute(charge, 'fraudulent');
    await deliver();
    expect(await disputesOf(order)).toMatchObject([{ status: 'open', returnedTwice: 5500 }]);
    expect((await mailsOf(order))[0]?.text).toContain('R$\u00a055,00 deste valor também foram reembolsados ao comprador.');
    expect(await auditFindings(world.db)).toEqual([expect.stringMatching(`dispute ${id} takes 5500 of order ${order.id}`) as string]);
    standIn.closeDispute(id, 'won');
    await deliver();
    expect(await disputesOf(order)).toMatchObject([{ status: 'won', returnedTwice: 0 }]);
  });
});

describe('the bordero', () => {
  const feesOf = async () => (await world.call('GET', `/event/${world.event}/bordero`, crew)).json<Bordero>().providerFees?.[0];

  it('shows the fees of payments and disputes, and the disputed money, by payment method', async () => {
    world.now = minutesAfterNoon(2);
    await run(finishPayments);
    const before = await feesOf();
    const { charge } = await buyByCard();
    world.now = minutesAfterNoon(4);
    await run(finishPayments);
    const paid = await feesOf();
    expect(paid).toEqual({ ...before, fee: (before?.fee ?? 0) + feeOfCard });
    const { id } = standIn.openDispute(charge, 'fraudulent');
    await deliver();
    const cost = { method: 'card', fee: paid?.fee ?? 0, disputeFee: (paid?.disputeFee ?? 0) + fee };
    expect(await feesOf()).toEqual({ ...cost, disputed: (paid?.disputed ?? 0) + 5500 });
    standIn.closeDispute(id, 'won');
    await deliver();
    expect(await feesOf()).toEqual({ ...cost, disputed: paid?.disputed });
    const sessions = await rowsOf('select max(id) as id from event_session where event_id = $1', world.event);
    const ofSession = await world.call('GET', `/event/${world.event}/bordero?sessionId=${String(sessions[0]?.id)}`, crew);
    expect(ofSession.json()).toMatchObject({ providerFees: null });
  });
});

describe('tickets of a disputed order', () => {
  it('are admitted by default', async () => {
    const { order, charge } = await buyByCard();
    standIn.openDispute(charge, 'fraudulent');
    await deliver();
    expect(await scan(order)).toMatchObject({ result: 'admitted', note: null });
  });

  it('are refused online and in the manifest if the event says so, and admitted after the dispute is won', async () => {
    await setRule('refuse');
    const { order, charge } = await buyByCard();
    const [ticket] = await ticketsOf(order);
    const { next, disputedTickets } = await manifest();
    expect(disputedTickets).toBe('refuse');
    const { id } = standIn.openDispute(charge, 'fraudulent');
    await deliver();
    expect(await scan(order)).toMatchObject({ result: 'refunded', note: 'disputed', used: null });
    const delta = await manifest(next);
    expect(delta.tickets).toMatchObject([{ id: ticket?.id, status: 'valid', disputed: true }]);
    await setRule('admit');
    expect(await manifest(delta.next)).toMatchObject({ tickets: [], disputedTickets: 'admit' });
    await setRule('refuse');
    standIn.closeDispute(id, 'won');
    await deliver();
    expect((await manifest(delta.next)).tickets).toMatchObject([{ id: ticket?.id, status: 'valid', disputed: false }]);
    expect(await scan(order)).toMatchObject({ result: 'admitted', note: null });
    await setRule('admit');
  });

  it('stay refused after the dispute is lost', async () => {
    await setRule('refuse');
    const { order, charge } = await buyByCard();
    const { id } = standIn.openDispute(charge, 'fraudulent');
    standIn.closeDispute(id, 'lost');
    await deliver();
    expect(await scan(order)).toMatchObject({ result: 'refunded', note: 'disputed' });
    await setRule('admit');
  });
});
