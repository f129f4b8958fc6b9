import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { buyTicket, Crowd, Visitors } from '../bench/queue-visitors.ts';
import { behindProxy } from '../bench/requests.ts';
import { openShop } from '../bench/shop.ts';
import { eventually } from './eventually.ts';
import { useProcesses } from './use-processes.ts';

const { demoDataFolder, newDataFolder } = useProcesses();
const count = 300;
const tickets = 40;

describe('the waiting room with two processes', () => {
  it('lets a crowd in by the draw, sells each ticket once, and survives the restart of a process', async () => {
    const folder = demoDataFolder();
    const secretKey = readFileSync(join(folder.dataDir, 'secret-key'), 'utf8').trim();
    const environment = { ...behindProxy, RATE_LIMIT: 'off', SECRET_KEY: secretKey, PAYMENTS: 'sandbox,cash' };
    const first = await folder.serve(environment);
    const other = newDataFolder({ databaseUrl: folder.databaseUrl() });
    const second = await other.serve(environment);
    const shop = openShop(first);
    const sale = await shop.createEvent({ quantity: tickets });
    const { eventId } = sale;
    const token = await shop.token();
    const change = (method: 'PUT' | 'POST', path: string, body?: object) =>
      fetch(`${first.origin}/v1/event/${eventId}/waiting-room${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
      });
    await change('PUT', '', { opensAt: '2098-01-01 00:00:00', admitPerMinute: 6_000 });

    let visitors = new Visitors([first, second].map(({ origin }) => Number(new URL(origin).port)));
    const results: (string | null)[] = [];
    const admittedOf: number[] = [];
    const crowd = new Crowd({
      visitors,
      sale,
      count,
      pollMs: 500,
      onAdmitted: (visitor, admission) => {
        admittedOf.push(visitor);
        void buyTicket(visitors, visitor, sale, admission).then((problem) => results.push(problem));
      },
    });
    await crowd.join(0);
    const numbers = crowd.numbers.map(({ number }) => number);
    expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, i) => i + 1));

    expect((await change('POST', '/open')).status).toBe(200);
    await crowd.learnPlaces(0);
    const printed = execFileSync(process.execPath, ['trust/recompute-places.js', `${second.origin}/v1/queue/${eventId}`], {
      encoding: 'utf8',
    });
    const recomputed = new Map(
      printed
        .trim()
        .split('\n')
        .map((line) => line.split(' ').map(Number) as [number, number]),
    );
    expect(crowd.places).toEqual(recomputed);
    await eventually('all visitors are admitted and have ordered', () => results.length === count);
    crowd.stop();
    expect(results.filter((problem) => problem === null)).toHaveLength(tickets);
    expect(new Set(results)).toEqual(new Set([null, 'sold_out']));
    visitors.close();

    // The state is in the database, so a process that starts later continues the queue.
    await second.end('SIGTERM');
    const restarted = await other.serve(environment);
    visitors = new Visitors([Number(new URL(restarted.origin).port)]);
    const joined = await visitors.send<{ number: number }>(1, 'POST', `/queue/${eventId}/numbers`);
    expect(joined.body.number).toBeGreaterThan(count);
    visitors.close();
  });
});
