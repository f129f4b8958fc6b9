// S7: a batch of passkeys through HTTP, beside a bare insert of the same rows into the same tables.
import { randomCodes } from '../dist/passkeys/random-codes.js';
import { compare, secondsOf } from './compare.mjs';
import { startService } from './service.mjs';
import { call, openShop } from './shop.mjs';

const itemsOfEach = 3;

export async function measure(_ids, { rounds, quick, progress }) {
  progress('S7');
  const size = quick ? 8_000 : 100_000;
  const service = await startService();
  const client = await service.connect();
  try {
    const { token, createEvent } = await openShop(service.api);
    const { eventId, itemIds } = await createEvent({ items: itemsOfEach });
    const throughHttp = (codes) => call(service.api, token, 'POST', `/event/${eventId}/passkeys`, { codes, itemIds, limit: 2 });
    const bareInsert = (codes) =>
      client.query(
        `with made as (
           insert into passkey (event_id, code, use_limit, created_at, updated_at) select $1, code, 2, now(), now() from unnest($2::text[]) code
           returning id)
         insert into passkey_item (event_id, passkey_id, item_id) select $1, made.id, item from made cross join unnest($3::bigint[]) item`,
        [eventId, codes, itemIds],
      );
    const timed = (way) => async () => {
      const codes = randomCodes(size);
      return { seconds: await secondsOf(() => way(codes)) };
    };
    const ratioOf = (own, other) => other.seconds / own.seconds;
    return { S7: await compare({ rounds, ours: timed(throughHttp), control: timed(bareInsert), ratioOf }) };
  } finally {
    await client.end();
    await service.stop();
  }
}
