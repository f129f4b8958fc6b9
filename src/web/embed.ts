import { allPagesTag } from '../http/page-cache.ts';
import type { PageRoute } from '../http/page-routes.ts';
import { localeOfHeader } from '../kernel/locale.ts';
import { readEventPage } from './event-page.ts';
import type { Shop } from './shop.ts';

/** The widget for other sites, and the script that they include. The language is part of the address, as for all pages. */
export const embedRoutes = (shop: Shop): PageRoute[] => [
  {
    path: '/embed/:link',
    operation: 'embedPage',
    embeddable: true,
    cacheTag: () => allPagesTag,
    respond: async (edge, act, { params: { link = '' }, query }) => {
      const locale = localeOfHeader(query.lang) ?? 'en';
      // The order opens in a tab of the shop. If the sale has a waiting room, that tab leads there.
      const choice = { locale, origin: shop.origin, session: query.session, passkey: undefined, isAdmitted: true };
      const event = await readEventPage(edge, act, await shop.events.read(edge, act, link), choice);
      return shop.render(edge, { locale, path: `/event/${event.link}` }, { kind: 'embed', event }, { isEmbedded: true });
    },
  },
  {
    path: '/embed.js',
    operation: 'getEmbedScript',
    cacheTag: () => null,
    respond: async () => ({
      status: 200,
      headers: {
        'content-type': 'text/javascript; charset=utf-8',
        'cache-control': 'public, max-age=3600',
        // Pages of other sites load this file.
        'cross-origin-resource-policy': 'cross-origin',
      },
      body: shop.embedScript,
    }),
  },
];
