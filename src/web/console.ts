import type { PageResponse, PageRoute } from '../http/page-routes.ts';
import type { ConsoleFiles } from './built-files.ts';
import { consolePage } from './headers.ts';

/** The page is the same for everybody and for every address: the script reads the address and asks the API for the rest. */
const shell = ({ script, styles }: ConsoleFiles): string =>
  [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Tessera</title>',
    '<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">',
    '<meta name="color-scheme" content="light dark"><meta name="robots" content="noindex">',
    '<link rel="icon" href="/icon.svg" type="image/svg+xml">',
    ...styles.map((href) => `<link rel="stylesheet" href="${href}">`),
    `<script type="module" src="${script}"></script></head>`,
    '<body><div id="console"></div><noscript><p>The console needs JavaScript.</p></noscript></body></html>',
  ].join('');

/** The app for producers and for the platform. */
export function consoleRoutes(files: ConsoleFiles): PageRoute[] {
  const page: PageResponse = { status: 200, headers: consolePage, body: shell(files) };
  const redirect: PageResponse = { status: 302, headers: { location: '/console/', 'cache-control': 'no-cache' }, body: '' };
  const route = (path: string, response: PageResponse): PageRoute => ({
    path,
    operation: 'consoleApp',
    cacheTag: () => null,
    respond: async () => response,
  });
  return [route('/console', redirect), route('/console/', page), route('/console/*', page)];
}
