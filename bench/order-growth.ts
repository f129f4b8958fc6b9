// G1: the duration of one order after a million other orders, compared with one order after a thousand. As a detail, the throughput with many
// clients is measured too.
import { compare, throughputRatio } from './compare.ts';
import type { Measure } from './measure.ts';
import { placeOrders } from './order-throughput.ts';
import { behindProxy } from './requests.ts';
import { withService } from './service.ts';
import { openShop } from './shop.ts';
import { sellTickets } from './sold-tickets.ts';

const few = 1_000;

export const measureOrderGrowth: Measure = ({ rounds, quick, progress }) => {
  const many = quick ? 10_000 : 1_000_000;
  progress(`G1: filling ${many} orders`);
  return withService({ environment: behindProxy }, (fresh) =>
    withService({ environment: behindProxy }, async (grown) => {
      const [freshSale, grownSale] = [await openShop(fresh).createEvent(), await openShop(grown).createEvent()];
      await sellTickets(fresh, freshSale, few);
      await sellTickets(grown, grownSale, many);
      progress('G1');
      const growth = (connections: number) =>
        compare({
          rounds,
          ours: () => placeOrders(grown.port, [grownSale], { quick, connections }),
          control: () => placeOrders(fresh.port, [freshSale], { quick, connections }),
          ratio: (ours, control) => throughputRatio(control, ours),
        });
      return { G1: { ...(await growth(1)), crowd: await growth(256), behind: many } };
    }),
  );
};
