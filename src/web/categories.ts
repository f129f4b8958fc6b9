import { listCategories } from '../events/categories.ts';
import type { Category } from '../events/category-contract.ts';
import { allPagesTag } from '../http/page-cache.ts';
import type { PageEdge } from '../http/page-routes.ts';

/** The categories of the shop, which all pages show. */
export const readCategories = (edge: PageEdge): Promise<Category[]> => edge.readShared('categories', allPagesTag, listCategories);
