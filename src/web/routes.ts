import { allPagesTag } from '../http/page-cache.ts';
import type { PageEdge, PageRequest, PageResponse, PageRoute, PageSetup } from '../http/page-routes.ts';
import type { Act, Anonymous } from '../kernel/act.ts';
import { type Locale, locales } from '../kernel/locale.ts';
import { drawMosaic } from '../kernel/mosaic.ts';
import { Problem } from '../kernel/problem.ts';
import { consoleRoutes } from './console.ts';
import { doorRoutes } from './door.ts';
import { embedRoutes } from './embed.ts';
import { showEvent } from './event-page.ts';
import { readHomePage } from './home-page.ts';
import { icon } from './icon.ts';
import { type MosaicShape, mosaicShapes } from './images.ts';
import { changeOrder, showOrder } from './order-routes.ts';
import { placeOrder } from './place-order.ts';
import { readProducerPage } from './producer-page.ts';
import { showQueue, takeNumber } from './queue-page.ts';
import { redirect } from './redirect.ts';
import { readSearchPage } from './search-page.ts';
import { localeOfUrl, type Shop } from './shop.ts';
import { idOf } from './shop-request.ts';
import { readSitemap, robots } from './sitemap.ts';
import { changeFromPage, joinFromPage, showEntry } from './waiting-pages.ts';

type Respond = (edge: PageEdge, act: Act<Anonymous>, request: PageRequest, locale: Locale) => Promise<PageResponse>;

interface LocalPage {
  method?: 'POST';
  /** The path after the language. */
  path: string;
  operation: string;
  embeddable?: true;
  cacheTag?: PageRoute['cacheTag'];
  respond: Respond;
}

const always = (tag: string) => () => tag;
const never = () => null;

function shopPages(shop: Shop): LocalPage[] {
  return [
    {
      path: '/',
      operation: 'homePage',
      embeddable: true,
      cacheTag: always(allPagesTag),
      respond: async (edge, act, _request, locale) => {
        const page = await edge.read((tx) => readHomePage(tx, act));
        return shop.render(edge, { locale, path: '/' }, page, { isPreviewed: true });
      },
    },
    {
      path: '/search',
      operation: 'searchPage',
      cacheTag: always(allPagesTag),
      respond: async (edge, act, { query }, locale) => {
        const page = await readSearchPage(edge, act, query, null);
        return shop.render(edge, { locale, path: '/search', query }, page, { status: page.invalid ? 400 : 200 });
      },
    },
    {
      path: '/event/:link',
      operation: 'eventPage',
      // A page that an access code or a preview link has opened is not cached: both are secrets.
      cacheTag: ({ params, query }) => (query.passkey || query.preview ? null : shop.events.tagOf(params.link ?? '')),
      respond: (edge, act, request, locale) => showEvent({ shop, edge, act, locale, request }),
    },
    {
      path: '/event/:link/queue',
      operation: 'queuePage',
      respond: (edge, act, request, locale) => showQueue({ shop, edge, act, locale, request }),
    },
    {
      method: 'POST',
      path: '/event/:link/queue',
      operation: 'takeNumber',
      respond: (edge, act, request, locale) => takeNumber({ shop, edge, act, locale, request }),
    },
    {
      path: '/producer/:id',
      operation: 'producerPage',
      cacheTag: always(allPagesTag),
      respond: async (edge, { at }, { params, query }, locale) => {
        const producerId = idOf({ params });
        const page = await edge.read((tx) => readProducerPage(tx, at, producerId, query.cursor));
        return shop.render(edge, { locale, path: `/producer/${params.id}` }, page);
      },
    },
    // The forms of the shop have the event in their path, so that a proxy can send all of them to the same process.
    ...['', '/event/:eventId'].flatMap((base): LocalPage[] => [
      {
        method: 'POST',
        path: `${base}/orders`,
        operation: 'placeOrder',
        respond: (edge, act, request, locale) => placeOrder(shop, edge, act, locale, request),
      },
      {
        path: `${base}/orders/:id`,
        operation: 'orderPage',
        respond: (edge, act, request, locale) => showOrder({ shop, edge, act, locale, request }),
      },
      {
        method: 'POST',
        path: `${base}/orders/:id`,
        operation: 'changeOrder',
        respond: (edge, act, request, locale) => changeOrder({ shop, edge, act, locale, request }),
      },
    ]),
    {
      method: 'POST',
      path: '/event/:eventId/waiting-list',
      operation: 'joinWaitingListPage',
      respond: (edge, act, request, locale) => joinFromPage({ shop, edge, act, locale, request }),
    },
    {
      path: '/waiting-list/:eventId',
      operation: 'waitingListPage',
      respond: (edge, act, request, locale) => showEntry({ shop, edge, act, locale, request }),
    },
    {
      method: 'POST',
      path: '/waiting-list/:eventId',
      operation: 'changeWaitingListPage',
      respond: (edge, act, request, locale) => changeFromPage({ shop, edge, act, locale, request }),
    },
    {
      path: '/:category',
      operation: 'categoryPage',
      cacheTag: always(allPagesTag),
      respond: async (edge, act, { params: { category = '' }, query }, locale) => {
        const page = await readSearchPage(edge, act, query, category);
        return shop.render(edge, { locale, path: `/${category}`, query }, page, { status: page.invalid ? 400 : 200 });
      },
    },
    {
      path: '/*',
      operation: 'unknownPage',
      respond: async () => {
        throw new Problem('not_found');
      },
    },
  ];
}

const inEachLanguage = ({ path, respond, cacheTag = never, ...page }: LocalPage): PageRoute[] =>
  locales.map((locale) => ({
    ...page,
    path: `/${locale}${path}`,
    cacheTag,
    respond: (edge, act, request) => respond(edge, act, request, locale),
  }));

/** Addresses without a language. They redirect once, to the language that the browser prefers; the pages themselves never depend on it. */
const languageRedirects = (): PageRoute[] =>
  ['/', '/event/:link', ...locales.map((locale) => `/${locale}`)].map((path) => ({
    path,
    operation: 'chooseLanguage',
    cacheTag: never,
    respond: async (_edge, act, { url }) => {
      const isLocale = locales.some((locale) => url.split('?')[0] === `/${locale}`);
      const locale = act.locale ?? 'en';
      const location = isLocale ? url.replace(/^(\/[\w-]+)/, '$1/') : `/${locale}${url}`;
      return redirect(302, location, { vary: 'accept-language', 'cache-control': 'no-cache' });
    },
  }));

const year = 'public, max-age=31536000, immutable';
/** An SVG is a document of its own when it is opened alone, so it may run nothing and load nothing. */
const svgHeaders = { 'content-type': 'image/svg+xml', 'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'" };

const pictures = (): PageRoute[] => [
  {
    path: '/mosaic/:category/:file',
    operation: 'getMosaic',
    cacheTag: never,
    respond: async (_edge, _act, { params: { category = '', file = '' } }) => {
      const [, seed, shape] = /^([a-z0-9-]{1,200})-(tall|wide|banner)\.svg$/.exec(file) ?? [];
      if (seed === undefined) throw new Problem('not_found');
      return {
        status: 200,
        headers: { ...svgHeaders, 'cache-control': year },
        body: drawMosaic({ seed, category, ...mosaicShapes[shape as MosaicShape] }),
      };
    },
  },
  {
    path: '/icon.svg',
    operation: 'getIcon',
    cacheTag: never,
    respond: async () => ({ status: 200, headers: { ...svgHeaders, 'cache-control': 'public, max-age=86400' }, body: icon }),
  },
];

const forRobots = (shop: Shop): PageRoute[] => [
  {
    path: '/sitemap.xml',
    operation: 'sitemap',
    cacheTag: always(allPagesTag),
    respond: (edge, { at }) =>
      edge.read(async (tx) => ({
        status: 200,
        headers: { 'content-type': 'application/xml; charset=utf-8', 'cache-control': 'public, max-age=3600' },
        body: await readSitemap(tx, at, shop.origin),
      })),
  },
  {
    path: '/robots.txt',
    operation: 'robots',
    cacheTag: never,
    respond: async () => ({
      status: 200,
      headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'public, max-age=3600' },
      body: robots(shop.origin),
    }),
  },
];

const problemPages: Partial<Record<number, 'notFound' | 'busy' | 'limit' | 'error'>> = {
  404: 'notFound',
  429: 'limit',
  500: 'error',
  503: 'busy',
};

/** All pages of the shop, and the page that is shown instead of one that failed. */
export const shopRoutes = (shop: Shop): Pick<PageSetup, 'routes' | 'respondToProblem'> => ({
  routes: [
    ...languageRedirects(),
    ...pictures(),
    ...forRobots(shop),
    ...embedRoutes(shop),
    ...doorRoutes(shop.doorFiles),
    ...consoleRoutes(shop.consoleFiles),
    ...shopPages(shop).flatMap(inEachLanguage),
  ],
  respondToProblem: ({ status }, { url, requestId, locale }) =>
    shop.renderAlone(
      { locale: localeOfUrl(url) ?? locale ?? 'en', path: '/' },
      { kind: 'problem', problem: problemPages[status] ?? 'bad', requestId },
      status,
    ),
});
