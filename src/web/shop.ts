import type { Config } from '../config.ts';
import type { PageEdge, PageRequest, PageResponse } from '../http/page-routes.ts';
import { type Locale, locales } from '../kernel/locale.ts';
import { listPaymentMethods } from '../payments/payment-methods.ts';
import type { Providers } from '../payments/providers/open-providers.ts';
import type { BuiltFiles, ConsoleFiles, DoorFiles } from './built-files.ts';
import { readCategories } from './categories.ts';
import type { Frame, ShopPage } from './contract.ts';
import { EventReader } from './event-facts.ts';
import { embeddedPage, paymentPage, previewedPage, privatePage, publicPage } from './headers.ts';
import type { ListMethods } from './order-page.ts';

interface PagePlace {
  locale: Locale;
  /** The path after the language. */
  path: string;
  /** The query of the address, for the links to the other languages. */
  query?: PageRequest['query'];
}

interface PageOptions {
  status?: number;
  /** The page is for one reader only, so nobody may keep a copy. */
  isPrivate?: boolean;
  /** Other sites may show the page in a frame. */
  isEmbedded?: boolean;
  /** Pages of this site may show the page in a frame. */
  isPreviewed?: boolean;
  /** The page loads the web component of a payment provider. */
  hasComponent?: boolean;
}

/** What all pages of the shop need: the renderer, and the settings that they show. */
export interface Shop {
  origin: string;
  /** The script that other sites include to show the widget. */
  embedScript: string;
  doorFiles: DoorFiles;
  consoleFiles: ConsoleFiles;
  listMethods: ListMethods;
  events: EventReader;
  /** Renders a page with the categories of the shop in its header and footer. */
  render(edge: PageEdge, place: PagePlace, page: ShopPage, options?: PageOptions): Promise<PageResponse>;
  /** Renders a page without the database. */
  renderAlone(place: PagePlace, page: ShopPage, status: number): PageResponse;
}

/** Which headers a page has. */
function headersOf(
  status: number,
  { isPrivate, isEmbedded, isPreviewed, hasComponent }: PageOptions,
): (styleHash: string) => Record<string, string> {
  if (isEmbedded && status === 200) return embeddedPage;
  if (isPreviewed && status === 200) return previewedPage;
  if (hasComponent) return paymentPage;
  return isPrivate || status !== 200 ? privatePage : publicPage;
}

export function createShop(
  { publicUrl, payments }: Config,
  { renderPage, scripts, embedScript, door, console: consoleFiles }: BuiltFiles,
  providers: Providers,
): Shop {
  function respond(frame: Frame, page: ShopPage, options: PageOptions): PageResponse {
    const { status = 200 } = options;
    const { html, styleHash } = renderPage(frame, page);
    return { status, headers: headersOf(status, options)(styleHash), body: html };
  }
  const frameOf = ({ locale, path, query = {} }: PagePlace, categories: Frame['categories']): Frame => ({
    locale,
    path,
    query: Object.keys(query).length > 0 ? `?${new URLSearchParams(query).toString()}` : '',
    origin: publicUrl,
    categories,
    testMoney: payments.has('sandbox'),
    scripts,
  });
  return {
    origin: publicUrl,
    embedScript,
    doorFiles: door,
    consoleFiles,
    listMethods: async (tx, act, eventId) => (await listPaymentMethods(tx, act, providers, eventId)).data,
    events: new EventReader(),
    render: async (edge, place, page, options = {}) => {
      const categories = (await readCategories(edge)).map(({ slug, name }) => ({ slug, name }));
      return respond(frameOf(place, categories), page, options);
    },
    renderAlone: (place, page, status) => respond(frameOf(place, []), page, { status }),
  };
}

/** The language at the beginning of an address. */
export function localeOfUrl(url: string): Locale | undefined {
  const segment = url.split(/[/?]/)[1];
  return locales.find((locale) => locale === segment);
}
