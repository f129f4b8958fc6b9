/** The server puts this before the script, see src/web/door.ts. */
interface DoorFiles {
  version: string;
  files: string[];
  decoder: string[];
}

interface Detector {
  getSupportedFormats(): Promise<string[]>;
}

interface WorkerEvent extends MessageEvent {
  request: Request;
  waitUntil(work: Promise<unknown>): void;
  respondWith(response: Promise<Response>): void;
}

/** The types of TypeScript for service workers contradict those for pages, so this file declares the few that it uses. */
interface WorkerScope {
  doorFiles: DoorFiles;
  BarcodeDetector?: Detector;
  clients: { claim(): Promise<void> };
  skipWaiting(): Promise<void>;
  addEventListener(type: 'install' | 'activate' | 'message' | 'fetch', listener: (event: WorkerEvent) => void): void;
}

const worker = self as unknown as WorkerScope;
const { version, files, decoder } = worker.doorFiles;
const prefix = 'tessera-door-';
const cacheName = `${prefix}${version}`;

async function readsQrCodes(): Promise<boolean> {
  const formats = await worker.BarcodeDetector?.getSupportedFormats().catch((): string[] => []);
  return formats?.includes('qr_code') ?? false;
}

/** Stores all files of this version, or none. `no-cache` asks the server for the page; the other files never change. */
async function install(): Promise<void> {
  const cache = await caches.open(cacheName);
  const needed = (await readsQrCodes()) ? files : [...files, ...decoder];
  await cache.addAll(needed.map((url) => new Request(url, { cache: url.startsWith('/door/files/') ? 'default' : 'no-cache' })));
}

/** Deletes the files of older versions. No page uses them any more: a new version waits until all pages are closed, or until the steward updates. */
async function activate(): Promise<void> {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith(prefix) && name !== cacheName).map((name) => caches.delete(name)));
  await worker.clients.claim();
}

worker.addEventListener('install', (event) => event.waitUntil(install()));
worker.addEventListener('activate', (event) => event.waitUntil(activate()));
worker.addEventListener('message', ({ data }) => {
  if (data === 'update') void worker.skipWaiting();
});

/** The files of the app come from the cache. Requests to the API go to the network and are never stored. */
worker.addEventListener('fetch', (event) => {
  const { pathname, origin } = new URL(event.request.url);
  const isPage = event.request.mode === 'navigate';
  if (event.request.method !== 'GET' || origin !== location.origin || !(isPage || files.includes(pathname) || decoder.includes(pathname)))
    return;
  event.respondWith(
    caches
      .open(cacheName)
      .then((cache) => cache.match(isPage ? '/door/' : pathname))
      .then((found) => found ?? fetch(event.request)),
  );
});
