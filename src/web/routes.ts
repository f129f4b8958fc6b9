import { allPagesTag } from '../http/page-cache.ts';
import type { PageEdge, PageRequest, PageResponse, PageRoute, PageSetup } from '../http/page-routes.ts';
import type { Act, Anonymous } from '../kernel/act.ts';
import { type Locale, locales } from '../kernel/locale.ts';
import { drawMosaic } from '../kernel/mosaic.ts';
import { Problem } from '../kernel/problem.ts';
import { consoleRoutes } from './console.ts';
import { doorRoutes } from './door.ts';
import { embedRoutes } from './embed.ts';
import { readEventPage } from './event-page.ts';
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

/** The id of an event by its link, remembered so that its page can be cached by the id. A link that moved to another event is corrected by the next read. */
const maxKnownLinks = 10_000;

function shopPages(shop: Shop): LocalPage[] {
  const idsByLink = new Map<string, number>();
  return [
    {
      path: '/',
      operation: 'homePage',
      embeddable: true,
      cacheTag: always(allPagesTag),
      respond: (edge, act, _request, locale) =>
        edge.read(async (tx) => shop.render(tx, { locale, path: '/' }, await readHomePage(tx, act), { isPreviewed: true })),
    },
    {
      path: '/search',
      operation: 'searchPage',
      cacheTag: always(allPagesTag),
      respond: (edge, act, { query }, locale) =>
        edge.read(async (tx) => {
          const page = await readSearchPage(tx, act, query, null);
          return shop.render(tx, { locale, path: '/search', query }, page, { status: page.invalid ? 400 : 200 });
        }),
    },
    {
      path: '/event/:link',
      operation: 'eventPage',
      // A page that an access code or a preview link has opened is not cached: both are secrets.
      cacheTag: ({ params, query }) => (query.passkey || query.preview ? null : String(idsByLink.get(params.link ?? '') ?? allPagesTag)),
      respond: (edge, act, { params: { link = '' }, query }, locale) => {
        const read = query.passkey ? edge.readAndCount : edge.read;
        return read(async (tx) => {
          const choice = {
            locale,
            origin: shop.origin,
            session: query.session,
            passkey: query.passkey,
            preview: query.preview || undefined,
            isAdmitted: query.admitted !== undefined,
          };
          const page = await readEventPage(tx, act, link, choice);
          if (page.link !== link) {
            const preview = page.preview === null ? '' : `?preview=${page.preview}`;
            return redirect(page.preview === null ? 301 : 302, `/${locale}/event/${page.link}${preview}`);
          }
          if (idsByLink.size >= maxKnownLinks) idsByLink.clear();
          if (page.preview === null) idsByLink.set(link, page.id);
          const status = page.status === 'cancelled' ? 410 : page.code.state === 'locked' ? 429 : 200;
          const isPrivate = Boolean(query.passkey || query.preview);
          return shop.render(tx, { locale, path: `/event/${link}`, query }, page, { status, isPrivate });
        });
      },
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
      respond: (edge, { at }, { params, query }, locale) => {
        const producerId = idOf({ params });
        return edge.read(async (tx) =>
          shop.render(tx, { locale, path: `/producer/${params.id}` }, await readProducerPage(tx, at, producerId, query.cursor)),
        );
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
      respond: (edge, act, { params: { category = '' }, query }, locale) =>
        edge.read(async (tx) => {
          const page = await readSearchPage(tx, act, query, category);
          return shop.render(tx, { locale, path: `/${category}`, query }, page, { status: page.invalid ? 400 : 200 });
        }),
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
