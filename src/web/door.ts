import { createHash } from 'node:crypto';
import type { PageResponse, PageRoute } from '../http/page-routes.ts';
import type { DoorFiles } from './built-files.ts';
import { doorPage, doorWorker } from './headers.ts';

const icon = (src: string, size: number) => ({ src, sizes: `${size}x${size}`, type: 'image/png' });

/** The description of the app that a phone reads to install it. */
const webManifest = ({ icons }: DoorFiles): string =>
  JSON.stringify({
    name: 'Tessera Door',
    short_name: 'Door',
    description: 'Checks tickets at the entrance, with and without a network.',
    id: '/door/',
    start_url: '/door/',
    scope: '/door/',
    display: 'standalone',
    orientation: 'portrait',
    background_color: '#111317',
    theme_color: '#111317',
    icons: [
      { ...icon(icons.small, 192), purpose: 'any' },
      { ...icon(icons.large, 512), purpose: 'any' },
      { ...icon(icons.large, 512), purpose: 'maskable' },
    ],
  });

/** The page is the same for everybody: the script reads who uses it from the device. */
const shell = ({ script, styles, icons }: DoorFiles): string =>
  [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Tessera Door</title>',
    '<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">',
    '<meta name="description" content="Checks tickets at the entrance, with and without a network.">',
    '<meta name="theme-color" content="#111317"><meta name="color-scheme" content="dark">',
    `<link rel="manifest" href="/door/manifest.webmanifest"><link rel="icon" href="${icons.small}"><link rel="apple-touch-icon" href="${icons.small}">`,
    ...styles.map((href) => `<link rel="stylesheet" href="${href}">`),
    `<script type="module" src="${script}"></script></head>`,
    '<body><div id="door"></div><noscript><p>This app needs JavaScript.</p></noscript></body></html>',
  ].join('');

/**
 * The service worker with the list of files that it keeps. `version` changes with any of them: the names of the files contain hashes.
 * `decoder` is needed only in browsers that cannot read QR codes themselves.
 */
function serviceWorker({ files, decoder, serviceWorkerScript }: DoorFiles, page: string): string {
  const version = createHash('sha256')
    .update(JSON.stringify([files, page, serviceWorkerScript]))
    .digest('hex')
    .slice(0, 12);
  const settings = {
    version,
    files: ['/door/', '/door/manifest.webmanifest', ...files.filter((file) => !decoder.includes(file))],
    decoder,
  };
  return `self.doorFiles=${JSON.stringify(settings)};\n${serviceWorkerScript}`;
}

const file = (path: string, operation: string, headers: Record<string, string>, body: string): PageRoute => ({
  path,
  operation,
  cacheTag: () => null,
  respond: async () => ({ status: 200, headers, body }),
});

/** The app for stewards. After the first visit its service worker answers these addresses without a network. */
export function doorRoutes(files: DoorFiles): PageRoute[] {
  const page = shell(files);
  const redirect: PageResponse = { status: 302, headers: { location: '/door/', 'cache-control': 'no-cache' }, body: '' };
  return [
    { path: '/door', operation: 'doorApp', cacheTag: () => null, respond: async () => redirect },
    file('/door/', 'doorApp', doorPage, page),
    file('/door/service-worker.js', 'getDoorWorker', doorWorker, serviceWorker(files, page)),
    file(
      '/door/manifest.webmanifest',
      'getDoorManifest',
      { 'content-type': 'application/manifest+json', 'cache-control': 'no-cache' },
      webManifest(files),
    ),
  ];
}
