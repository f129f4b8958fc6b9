import { isAllowed } from '../accounts/roles.ts';
import { app, boxOffice, webShop } from '../catalog/item.ts';
import type { StockItem } from '../catalog/stock.ts';
import type { Actor } from '../kernel/act.ts';
import { Problem } from '../kernel/problem.ts';

/** Open to everybody. All other channels are for people and tokens that sell at the event. */
const openChannels: readonly number[] = [webShop, app];

const boxOfficeMaximum = 500;

/** `item` is the first one that the order names. */
export function refuseChannel(actor: Actor, item: StockItem | undefined, channel: number): Problem | null {
  const channels = actor.kind === 'user' ? actor.token?.channels : null;
  if (channels && !channels.has(channel)) {
    return new Problem('forbidden', `This API token may not order through channel ${channel}, only through ${[...channels].join(', ')}.`);
  }
  if (openChannels.includes(channel) || (item && isAllowed(actor, 'order.sell', item))) return null;
  return new Problem(
    'forbidden',
    `Channel ${channel} needs a crew role or an API token that may sell at this event. Use channel ${webShop} (web shop) or ${app} (app), or sign in.`,
  );
}

/** How many tickets one order may have. */
export const maximumPerOrder = (item: StockItem | undefined, channel: number): number =>
  channel === boxOffice ? boxOfficeMaximum : (item?.maximumPerOrder ?? boxOfficeMaximum);
