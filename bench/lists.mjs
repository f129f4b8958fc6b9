// G2: page 10,000 of the orders of an event against page 1.
import { compare, secondsOf } from './compare.mjs';
import { fill } from './orders.mjs';
import { startService } from './service.mjs';
import { call, openShop } from './shop.mjs';

const pageSize = 25;
const longest = 200;

export async function measure(_ids, { rounds, quick, progress }) {
  const page = quick ? 400 : 10_000;
  progress('G2');
  const service = await startService();
  try {
    const { token, createEvent } = await openShop(service.api);
    const place = await createEvent();
    await fill(service, place, pageSize * (page + 1));
    const read = (query) => call(service.api, token, 'GET', `/event/${place.eventId}/orders?${new URLSearchParams(query)}`);
    /** As anyone gets there, only in longer strides. */
    let cursor = null;
    for (let passed = 0; passed < pageSize * (page - 1); passed += longest) {
      cursor = (await read({ pageSize: longest, ...(cursor && { cursor }) })).nextCursor;
    }
    if (cursor === null) throw new Error('The list is shorter than it should be');
    const many = (query) => async () => ({
      seconds: await secondsOf(async () => {
        for (let i = 0; i < 200; i++) await read({ pageSize, ...query });
      }),
    });
    const ratioOf = (own, other) => own.seconds / other.seconds;
    return { G2: { ...(await compare({ rounds, ours: many({ cursor }), control: many({}), ratioOf })), page } };
  } finally {
    await service.stop();
  }
}
