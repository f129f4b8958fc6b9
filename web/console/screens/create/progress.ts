import type { EventData } from '../../app/use-event.ts';
import { type Item, periodOf, webShop } from '../../parts/item.ts';

export const steps = ['event', 'date', 'tickets', 'prices', 'publish'] as const;
export type Step = (typeof steps)[number];

export const lotsOf = (items: readonly Item[]): Item[] => items.filter(({ type }) => type !== 'group');

/** The first step that is not done. Everything that a step saves is on the server, so the event itself says where to continue. */
export function reachedStep({ sessions }: Pick<EventData, 'sessions'>, items: readonly Item[]): Step {
  if (sessions.length === 0) return 'date';
  const lots = lotsOf(items);
  if (lots.length === 0) return 'tickets';
  return lots.every((lot) => lot.values && periodOf(lot, webShop)) ? 'publish' : 'prices';
}
