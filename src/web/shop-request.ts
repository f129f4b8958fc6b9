import type { PageEdge, PageRequest } from '../http/page-routes.ts';
import type { Act } from '../kernel/act.ts';
import type { Locale } from '../kernel/locale.ts';
import { parseId } from '../kernel/parse-id.ts';
import { Problem } from '../kernel/problem.ts';
import type { Shop } from './shop.ts';

/** A request for a page of the shop, with everything that its response needs. */
export interface ShopRequest {
  shop: Shop;
  edge: PageEdge;
  act: Act;
  locale: Locale;
  request: PageRequest;
}

/** Returns the id in the path of a page. A page with another text in this place does not exist. */
export function idOf({ params }: Pick<PageRequest, 'params'>, name = 'id'): number {
  const id = parseId(params[name] ?? '');
  if (id === null) throw new Problem('not_found');
  return id;
}
