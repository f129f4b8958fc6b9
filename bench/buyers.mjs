import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** No answer came: the connection was cut, by us or by the other side. Whether the request was carried out is not known. */
class Cut extends Error {}

/**
 * People at their browsers. Each request has an Idempotency-Key and is sent again with the same one until it is answered: after a
 * cut connection, and when the service is busy. One in `cutOneIn` connections is cut on purpose, some milliseconds after the request was sent.
 */
export class Browser {
  /** Of orders that were answered at the first try, in milliseconds. */
  latencies = [];
  counts = { requests: 0, cuts: 0, busy: 0, replayed: 0 };
  #agent;
  #port;
  #cutOneIn;
  #deadline;

  constructor({ port, connections, cutOneIn, deadline }) {
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections });
    this.#port = port;
    this.#cutOneIn = cutOneIn;
    this.#deadline = deadline;
  }

  async post(path, body) {
    const key = randomUUID();
    for (let tries = 1; ; tries++) {
      if (Date.now() > this.#deadline) throw new Error('This takes too long: given up');
      try {
        const began = performance.now();
        const answer = await this.#send(path, body, key, tries === 1 && Math.random() * this.#cutOneIn < 1);
        if (answer.replayed) this.counts.replayed++;
        if (answer.status !== 503) {
          if (tries === 1 && path === '/v1/orders') this.latencies.push(performance.now() - began);
          return answer;
        }
        this.counts.busy++;
      } catch (error) {
        if (!(error instanceof Cut)) throw error;
        this.counts.cuts++;
      }
      await sleep(20 + Math.random() * 100 * Math.min(tries, 10));
    }
  }

  close() {
    this.#agent.destroy();
  }

  #send(path, body, key, cut) {
    this.counts.requests++;
    const text = JSON.stringify(body);
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text), 'idempotency-key': key };
    return new Promise((resolve, reject) => {
      const sent = request({ port: this.#port, host: '127.0.0.1', method: 'POST', path, headers, agent: this.#agent, timeout: 30_000 });
      const fail = (error) => reject(new Cut('No answer', { cause: error }));
      sent.on('error', fail).on('timeout', () => sent.destroy());
      sent.on('response', (answer) => {
        let received = '';
        answer.setEncoding('utf8').on('error', fail).on('close', fail);
        answer.on('data', (chunk) => {
          received += chunk;
        });
        answer.on('end', () =>
          resolve({ status: answer.statusCode, replayed: 'idempotency-replayed' in answer.headers, body: JSON.parse(received) }),
        );
      });
      sent.end(text);
      if (cut) setTimeout(() => sent.destroy(), Math.random() * 100);
    });
  }
}

/**
 * A crowd that buys an item until none is left. Some leave their order: so that nobody has to wait ten minutes for the hold to
 * run out, they cancel it. Some cards are declined at first. Answers every order that was acknowledged, with what became of it.
 */
export async function sellOut({ browser, place: { eventId, itemIds }, quantity, buyers, leaveOneIn, declineOneIn, onProgress }) {
  const acknowledged = new Map();
  const tally = { sold: 0, held: 0, left: 0, declined: 0, refused: 0 };
  let people = 0;

  async function pay(order, path) {
    if (Math.random() * declineOneIn < 1) {
      expectStatus(await browser.post(path, { method: 'card', outcome: 'decline' }), 409);
      tally.declined++;
    }
    expectStatus(await browser.post(path, { method: 'card' }), 201);
    order.status = 'approved';
    tally.sold += order.quantity;
  }

  async function buy(wanted) {
    const n = ++people;
    const buyer = { name: 'Ana Souza', email: `ana${n}@example.com`, document: String(100_000_000 + n) };
    const { status, body } = await browser.post('/v1/orders', { eventId, items: [{ itemId: itemIds[0], quantity: wanted }], buyer });
    if (status === 409 && body.code === 'sold_out') {
      tally.refused++;
      return body.lines[0].remaining;
    }
    expectStatus({ status, body }, 201);
    const order = { quantity: wanted, status: 'held' };
    acknowledged.set(body.id, order);
    tally.held += wanted;
    const at = (rest) => `/v1/orders/${body.id}/${rest}?secret=${body.secret}`;
    if (Math.random() * leaveOneIn < 1) {
      expectStatus(await browser.post(at('cancel'), {}), 200);
      order.status = 'cancelled';
      tally.left += wanted;
    } else {
      await pay(order, at('payment'));
    }
    tally.held -= wanted;
    return null;
  }

  /** One seat of the crowd: who has bought or left makes place for the next. */
  async function seat() {
    let most = 4;
    while (tally.sold < quantity) {
      const remaining = await buy(1 + Math.floor(Math.random() * most));
      most = remaining === null ? 4 : Math.max(1, Math.min(4, remaining));
      if (remaining === 0) await sleep(50 + Math.random() * 100);
    }
  }

  const progress = setInterval(() => onProgress(tally, acknowledged.size), 250);
  const began = performance.now();
  try {
    await Promise.all(Array.from({ length: buyers }, seat));
  } finally {
    clearInterval(progress);
  }
  return { acknowledged, tally, seconds: (performance.now() - began) / 1_000 };
}

function expectStatus({ status, body }, ...expected) {
  if (!expected.includes(status)) throw new Error(`Answered ${status}: ${JSON.stringify(body)}`);
}
