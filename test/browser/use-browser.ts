import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, inject, vi } from 'vitest';
import type { DataFolder, Service } from '../process.ts';
import { useDataFolders } from '../use-processes.ts';
import { findBrowser, findHeadlessShell } from './find-browser.ts';

const executablePath = findBrowser(process.env);
const headlessShell = findHeadlessShell(process.env);

/** Without a browser the tests are skipped, and test/run.js says so in its last lines. */
export const hasBrowser = executablePath !== null;

export const screens = {
  phone: { width: 360, height: 740 },
  narrow: { width: 320, height: 640 },
  desktop: { width: 1280, height: 900 },
} as const;

export interface BrowserShop {
  service: Service;
  /** For changes that no request can make, such as the end of a hold. */
  query: DataFolder['query'];
  /** The open contexts. They are closed after the last test of the file. */
  contexts: BrowserContext[];
  /** Opens a page in a new context: a new visitor without cookies. */
  visit(path: string, options?: BrowserContextOptions): Promise<Page>;
}

/** The browsers of this worker by their options. Files with the same options share one. It ends with the worker. */
const browsers = new Map<string, Promise<Browser>>();

function openBrowser(chromiumPath: string, options: readonly string[]): Promise<Browser> {
  const key = options.join(' ');
  const opened =
    browsers.get(key) ??
    chromium.launch({
      // Only the tests of the camera have options, and only Chromium itself has a camera.
      executablePath: options.length === 0 ? (headlessShell ?? chromiumPath) : chromiumPath,
      headless: true,
      chromiumSandbox: false,
      // Without a graphics card, Chromium would emulate one, which takes more time than drawing without it.
      args: ['--disable-dev-shm-usage', '--disable-gpu', ...options],
    });
  browsers.set(key, opened);
  return opened;
}

/**
 * Starts the service with the demo data and a browser. Call it once at the top of a test file. `environment` is read when the service
 * starts, `browserOptions` when the browser starts.
 */
export function useBrowser(
  environment: () => Record<string, string> = () => ({}),
  browserOptions: () => readonly string[] = () => [],
): BrowserShop {
  // Starting both can take long on a busy machine.
  vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });
  const contexts: BrowserContext[] = [];
  const shop = { contexts } as BrowserShop;
  if (executablePath === null) return shop;
  const newDataFolder = useDataFolders(afterAll);
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser(executablePath, browserOptions());
    const folder = newDataFolder({ copyOf: inject('demoFolder') });
    shop.query = folder.query;
    shop.service = await folder.serve(environment());
  });
  afterAll(async () => {
    for (const context of contexts) await context.close();
  });
  shop.visit = async (path, options = {}) => {
    const context = await browser.newContext({ viewport: screens.phone, baseURL: shop.service.origin, ...options });
    contexts.push(context);
    const page = await context.newPage();
    await page.goto(path);
    return page;
  };
  return shop;
}

/** Closes the contexts of a test after it, because an open page keeps the processor busy. Contexts that `beforeAll` has opened stay open. */
export function closeAfterEach({ contexts }: BrowserShop): void {
  let kept = 0;
  beforeEach(() => {
    kept = contexts.length;
  });
  afterEach(async () => {
    for (const context of contexts.splice(kept)) await context.close();
  });
}
