// Builds the web apps: the scripts for the browser into dist/web/browser, the renderer of the shop's pages into dist/web/server, the
// door app into dist/web/door, and the console into dist/web/console.
// bin/tessera.js runs this file at the start if a source file has changed. `npm run build` always runs it.
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { consoleBuild } from './console/build-config.js';
import { doorBuild } from './door/build-config.js';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The scripts of pages by their name. A page asks for its script by this name, see `Head` in web/shop/document.tsx. */
const scripts = {
  event: 'web/shop/islands/event.client.tsx',
  embed: 'web/shop/islands/embed.client.tsx',
  order: 'web/shop/islands/order/order.client.ts',
  queue: 'web/shop/islands/queue/queue.client.ts',
};

const shared = {
  root,
  configFile: false,
  publicDir: false,
  logLevel: 'warn',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
};

const browser = build({
  ...shared,
  base: '/assets/',
  build: {
    outDir: 'dist/web/browser',
    emptyOutDir: true,
    assetsDir: '',
    manifest: 'manifest.json',
    modulePreload: false,
    rolldownOptions: { input: scripts },
  },
});

const server = build({
  ...shared,
  build: {
    outDir: 'dist/web/server',
    emptyOutDir: true,
    ssr: true,
    cssMinify: true,
    rolldownOptions: { input: { shop: 'web/shop/server.tsx' } },
  },
  // The package contains the built file but not the packages that it was built from.
  ssr: { noExternal: true },
});

/** The script that other sites include. Its name never changes, and it is no module, so that it can find its own script element. */
const embed = build({
  ...shared,
  build: {
    outDir: 'dist/web/embed',
    emptyOutDir: true,
    rolldownOptions: { input: 'web/embed/embed.ts', output: { format: 'iife', entryFileNames: 'embed.js' } },
  },
});

const door = build({ ...shared, ...doorBuild });

const consoleApp = build({ ...shared, ...consoleBuild });

/** The service worker of the door app. src/web/door.ts puts the list of files before it. */
const serviceWorker = build({
  ...shared,
  build: {
    outDir: 'dist/web/door-worker',
    emptyOutDir: true,
    rolldownOptions: { input: 'web/door/service-worker.ts', output: { format: 'iife', entryFileNames: 'service-worker.js' } },
  },
});

await Promise.all([browser, server, embed, door, consoleApp, serviceWorker]);
