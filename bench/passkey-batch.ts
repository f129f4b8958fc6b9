// S7: the duration of creating a batch of passkeys over HTTP, compared with a raw insert of the same rows into the same tables.
import { randomCodes } from '../src/passkeys/random-codes.ts';
import { compare, secondsOf, speedRatio } from './compare.ts';
import type { Measure } from './measure.ts';
import { withService } from './service.ts';
import { openShop } from './shop.ts';

const rawInsert = `
  with made as (
    insert into passkey (event_id, code, use_limit, created_at, updated_at)
    select $1, code, 2, now(), now() from unnest($2::text[]) code
    returning id)
  insert into passkey_item (event_id, passkey_id, item_id) select $1, made.id, item from made cross join unnest($3::bigint[]) item`;

export const measurePasskeys: Measure = ({ rounds, quick, progress }) =>
  withService({}, async (service) => {
    progress('S7');
    const size = quick ? 8_000 : 100_000;
    const shop = openShop(service);
    const { eventId, itemIds } = await shop.createEvent({ items: 3 });
    const timed = (insert: (codes: string[]) => Promise<unknown>) => {
      const codes = randomCodes(size);
      return secondsOf(() => insert(codes));
    };
    const compared = await compare({
      rounds,
      ours: () => timed((codes) => shop.call('POST', `/event/${eventId}/passkeys`, { codes, itemIds, limit: 2 })),
      control: () => timed((codes) => service.query(rawInsert, [eventId, codes, itemIds])),
      ratio: speedRatio,
    });
    return { S7: compared };
  });
