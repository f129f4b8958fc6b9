import type { Frame } from '../../src/web/contract.ts';
import { type Messages, messagesOf } from '../messages/catalogues.ts';

/** What the components of a page get besides the data of the page. */
export interface PageProps {
  frame: Frame;
  t: Messages;
}

/** The address of a path of the shop in the language of the page. */
export const href = ({ locale }: Frame, path: string): string => `/${locale}${path}`;

/** The address with a query. Empty values are left out, so that addresses stay short. */
export function withQuery(address: string, query: Readonly<Record<string, string | number | null | undefined>>): string {
  const used = Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== '');
  const text = new URLSearchParams(used.map(([name, value]) => [name, String(value)])).toString();
  return text === '' ? address : `${address}?${text}`;
}

/** The name of a category. The usual categories are translated, unless the platform has given them other names. */
export function categoryName(t: Messages, { slug, name }: { slug: string; name: string }): string {
  const isUsual = (key: string): key is keyof Messages['categories'] => key in t.categories;
  return isUsual(slug) && messagesOf('en').categories[slug] === name ? t.categories[slug] : name;
}
