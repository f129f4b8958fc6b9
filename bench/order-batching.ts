// S2: the throughput of orders in batches, compared with the same service with one transaction for each order.
import { compare, throughputRatio } from './compare.ts';
import type { Measure } from './measure.ts';
import { placeOrders } from './order-throughput.ts';
import { behindProxy } from './requests.ts';
import { withService } from './service.ts';
import { openShop } from './shop.ts';

const unbatched = [`--import=${new URL('../test/faults/one-transaction-each.mjs', import.meta.url).href}`];

export const measureBatching: Measure = ({ rounds, quick, progress }) => {
  progress('S2');
  return withService({ environment: behindProxy }, (batching) =>
    withService({ environment: behindProxy, nodeOptions: unbatched }, async (single) => {
      const [sale, singleSale] = [await openShop(batching).createEvent(), await openShop(single).createEvent()];
      const compared = await compare({
        rounds,
        ours: () => placeOrders(batching.port, [sale], { quick }),
        control: () => placeOrders(single.port, [singleSale], { quick }),
        ratio: throughputRatio,
      });
      return { S2: compared };
    }),
  );
};
