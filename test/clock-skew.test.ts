import { expect, it } from 'vitest';
import type { PlacedOrder } from '../src/orders/order-schemas.ts';
import type { Service } from './process.ts';
import { useProcesses } from './use-processes.ts';

const { demoDataFolder } = useProcesses();

const clockAnHourAhead = { NODE_OPTIONS: `--import=${new URL('faults/fast-clock.mjs', import.meta.url).href}` };

interface Tickets {
  data: { tickets: { id: number; status: string; sessionIds: number[] }[] }[];
}

async function hold(service: Service): Promise<PlacedOrder> {
  const { body } = await service.call('GET', '/v1/event/1/tickets');
  const ticket = (body as Tickets).data.flatMap(({ tickets }) => tickets).find(({ status }) => status === 'available');
  const order = { eventId: 1, items: [{ itemId: ticket?.id, quantity: 1 }], buyer: { name: 'Ana Souza', email: 'ana@test.test' } };
  const answer = await service.call('POST', '/v1/orders', { body: { ...order, sessionId: ticket?.sessionIds[0] } });
  expect(answer).toMatchObject({ status: 201 });
  return answer.body as PlacedOrder;
}

it('a hold lasts ten minutes of database time, even if the clock of the machine is an hour ahead', async () => {
  const folder = demoDataFolder();
  const right = await folder.serve();
  const earlier = await hold(right);
  await right.end('SIGTERM');

  const fast = await folder.serve(clockAnHourAhead);
  const { body } = await fast.call('GET', `/v1/orders/${earlier.id}?secret=${earlier.secret}`);
  expect(body).toMatchObject({ status: 'held' });
  const payment = await fast.call('POST', `/v1/orders/${earlier.id}/payment?secret=${earlier.secret}`, { body: { method: 'card' } });
  expect(payment).toMatchObject({ status: 201, body: { status: 'approved' } });
  const later = await hold(fast);
  const [row] = await folder.query<{ left: boolean }>(
    `select expires_at between now() and now() + interval '10 minutes' as left from ticket_order where id = ${later.id}`,
  );
  expect(row).toEqual({ left: true });
});
