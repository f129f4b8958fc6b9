import { listCategories } from '../events/categories.ts';
import { locales } from '../kernel/locale.ts';
import type { Tx } from '../postgres/database.ts';
import { listPublicLinks } from '../storefront/search-events.ts';

/** Search engines accept at most 50,000 addresses in one file. Each event has an address in each language. */
const maxEvents = 15_000;

/** Lists the pages that search engines should know, each with its addresses in the other languages. */
export async function readSitemap(tx: Tx, at: Date, origin: string): Promise<string> {
  const categories = await listCategories(tx);
  const links = await listPublicLinks(tx, at, maxEvents);
  const paths = ['/', '/search', ...categories.map(({ slug }) => `/${slug}`), ...links.map((link) => `/event/${link}`)];
  const entries = paths.flatMap((path) => {
    const alternates = locales.map((locale) => `<xhtml:link rel="alternate" hreflang="${locale}" href="${origin}/${locale}${path}"/>`);
    return locales.map((locale) => `<url><loc>${origin}/${locale}${path}</loc>${alternates.join('')}</url>`);
  });
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">
${entries.join('\n')}
</urlset>
`;
}

export const robots = (origin: string): string => `User-agent: *
Disallow: /v1/
Disallow: /*/orders/
Disallow: /*?*passkey=

Sitemap: ${origin}/sitemap.xml
`;
