import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import { toProblem } from './problems.ts';
import { createLive } from './server-sent-events.ts';

let app: FastifyInstance;
let done: true | null;

function start(): void {
  done = null;
  app = Fastify();
  const live = createLive(app, 'done');
  app.setErrorHandler((error, _request, reply) => reply.code(toProblem(error).status).send());
  app.get<{ Params: { caller: string } }>('/:caller', (request, reply) => live(reply, request.params.caller, async () => ({ done })));
}

afterEach(() => app.close());

describe('event streams', () => {
  it('the 101st open stream gets 503', async () => {
    start();
    const answered: number[] = [];
    const listening = Array.from({ length: 101 }, async (_, i) => {
      answered.push((await app.inject(`/user-${i}`)).statusCode);
    });
    await expect.poll(() => answered, { timeout: 20_000 }).toEqual([503]);
    done = true;
    await Promise.all(listening);
    expect(answered).toEqual([503, ...Array<number>(100).fill(200)]);
  });

  it('the sixth open stream of one caller gets 429, until another stream of the caller ends', async () => {
    start();
    const answered: number[] = [];
    const listening = Array.from({ length: 6 }, async () => {
      answered.push((await app.inject('/user')).statusCode);
    });
    await expect.poll(() => answered, { timeout: 20_000 }).toEqual([429]);
    done = true;
    await Promise.all(listening);
    expect((await app.inject('/user')).statusCode).toBe(200);
  });
});
