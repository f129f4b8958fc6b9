// G2: the duration of a request for page 10,000 of the orders of an event, compared with page 1.
import { compare, costRatio, secondsOf } from './compare.ts';
import type { Measure } from './measure.ts';
import { withService } from './service.ts';
import { openShop } from './shop.ts';
import { sellTickets } from './sold-tickets.ts';

const pageSize = 25;
const largestPage = 200;
const reads = 200;

export const measureLists: Measure = ({ rounds, quick, progress }) =>
  withService({}, async (service) => {
    const page = quick ? 100 : 10_000;
    progress('G2');
    const shop = openShop(service);
    const sale = await shop.createEvent();
    await sellTickets(service, sale, pageSize * (page + 1));
    const read = (pageSize: number, cursor: string | null) => {
      const query = new URLSearchParams({ pageSize: String(pageSize), ...(cursor && { cursor }) });
      return shop.call<{ nextCursor: string | null }>('GET', `/event/${sale.eventId}/orders?${query.toString()}`);
    };
    // The cursor of a page comes from the previous page. Large pages need fewer requests to get there.
    let cursor: string | null = null;
    for (let passed = 0; passed < pageSize * (page - 1); passed += largestPage) cursor = (await read(largestPage, cursor)).nextCursor;
    if (cursor === null) throw new Error('The list has fewer pages than expected');
    const readOften = (from: string | null) =>
      secondsOf(async () => {
        for (let i = 0; i < reads; i++) await read(pageSize, from);
      });
    const compared = await compare({ rounds, ours: () => readOften(cursor), control: () => readOften(null), ratio: costRatio });
    return { G2: { ...compared, page } };
  });
