// S1 and S3: the orders per second, compared with the combined limit: bare Fastify that echoes the same requests, and plain SQL that writes the
// same rows.
import { combine } from './combined-limit.ts';
import { compare, throughputRatio } from './compare.ts';
import { withControlServer } from './control-server.ts';
import { load } from './load.ts';
import type { Measure, Options, Result } from './measure.ts';
import { writeOrders } from './plain-orders.ts';
import { behindProxy, orderRequests } from './requests.ts';
import { profiling, withService } from './service.ts';
import { openShop, type Sale, type Shop } from './shop.ts';

const events = 50;
/** Creating 50 events would take most of a short run. */
const quickEvents = 5;

/** Sends orders from many clients for some seconds, and returns the throughput. */
export const placeOrders = (port: number, sales: readonly Sale[], { quick, connections = 256 }: { quick: boolean; connections?: number }) =>
  load({ port, nextRequest: orderRequests(sales), connections, ms: quick ? 1_000 : 4_000 });

const againstLimit = (openSales: (shop: Shop) => Promise<Sale[]>, { rounds, quick, profile }: Options): Promise<Result> =>
  withService({ environment: behindProxy, nodeOptions: profiling(profile) }, async (service) => {
    const sales = await openSales(openShop(service));
    // The writes of the control copy parts of these orders.
    await placeOrders(service.port, sales, { quick: true });
    return withControlServer('echo-server.ts', 'createOrder', (echoPort) =>
      compare({
        rounds,
        ours: () => placeOrders(service.port, sales, { quick }),
        control: async () =>
          combine(await placeOrders(echoPort, sales, { quick }), await writeOrders(service, sales, quick ? 1_000 : 4_000)),
        ratio: throughputRatio,
      }),
    );
  });

export const measureOneItem: Measure = async (options) => {
  options.progress('S1');
  return { S1: await againstLimit(async (shop) => [await shop.createEvent()], options) };
};

export const measureManyEvents: Measure = async (options) => {
  options.progress('S3');
  const openSales = async (shop: Shop) => {
    const sales: Sale[] = [];
    while (sales.length < (options.quick ? quickEvents : events)) sales.push(await shop.createEvent({ items: 4 }));
    return sales;
  };
  return { S3: await againstLimit(openSales, options) };
};
