import { readdir, readFile } from 'node:fs/promises';
import { type Asset, createAsset } from '../http/assets.ts';
import type { Frame, RenderPage } from './contract.ts';

/** The same address from src/web and from the bundle in dist/service. */
const folder = new URL('../../dist/web/', import.meta.url);

const mediaTypes: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  wasm: 'application/wasm',
  webp: 'image/webp',
  png: 'image/png',
};

/** The entry of a file in the manifest of Vite. */
interface Built {
  file: string;
  name?: string;
  isEntry?: boolean;
  imports?: string[];
  css?: string[];
}

/** The files of the door app, by their addresses. */
export interface DoorFiles {
  script: string;
  styles: string[];
  /** All files. */
  files: string[];
  /** Those that read QR codes, for browsers that cannot. */
  decoder: string[];
  icons: { small: string; large: string };
  serviceWorkerScript: string;
}

/** The files of the console, by their addresses. */
export interface ConsoleFiles {
  script: string;
  styles: string[];
}

export interface BuiltFiles {
  renderPage: RenderPage;
  assets: ReadonlyMap<string, Asset>;
  doorAssets: ReadonlyMap<string, Asset>;
  consoleAssets: ReadonlyMap<string, Asset>;
  scripts: Frame['scripts'];
  embedScript: string;
  door: DoorFiles;
  console: ConsoleFiles;
}

/** Loads what web/build.js has built: the renderer, and the files for browsers. */
export async function loadBuiltFiles(): Promise<BuiltFiles> {
  const { renderPage } = (await import(new URL('server/shop.js', folder).href)) as { renderPage: RenderPage };
  const [assets, doorAssets, consoleAssets, door, embedScript] = await Promise.all([
    loadAssets('browser/'),
    loadAssets('door/'),
    loadAssets('console/'),
    loadDoorFiles(),
    readFile(new URL('embed/embed.js', folder), 'utf8'),
  ]);
  return {
    renderPage,
    assets: new Map(assets),
    doorAssets: new Map(doorAssets),
    consoleAssets: new Map(consoleAssets),
    scripts: scriptsOf(await manifestOf('browser/')),
    embedScript,
    door,
    console: await loadConsoleFiles(),
  };
}

const manifestOf = async (app: string): Promise<Record<string, Built>> =>
  JSON.parse(await readFile(new URL(`${app}manifest.json`, folder), 'utf8'));

const namesIn = async (app: string): Promise<string[]> =>
  (await readdir(new URL(app, folder))).filter((name) => name !== 'manifest.json').toSorted();

const loadAssets = async (app: string): Promise<(readonly [string, Asset])[]> =>
  Promise.all(
    (await namesIn(app)).map(async (name) => {
      const mediaType = mediaTypes[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream';
      return [name, createAsset(mediaType, await readFile(new URL(`${app}${name}`, folder)))] as const;
    }),
  );

async function loadDoorFiles(): Promise<DoorFiles> {
  const entry = Object.values(await manifestOf('door/')).find(({ isEntry }) => isEntry);
  const names = await namesIn('door/');
  const find = (start: string): string => doorAddressOf(names.find((name) => name.startsWith(start)) ?? '');
  return {
    script: doorAddressOf(entry?.file ?? ''),
    styles: (entry?.css ?? []).map(doorAddressOf),
    files: names.map(doorAddressOf),
    decoder: names.filter((name) => name.startsWith('decoder.worker') || name.endsWith('.wasm')).map(doorAddressOf),
    icons: { small: find('door-icon-192'), large: find('door-icon-512') },
    serviceWorkerScript: await readFile(new URL('door-worker/service-worker.js', folder), 'utf8'),
  };
}

async function loadConsoleFiles(): Promise<ConsoleFiles> {
  const entry = Object.values(await manifestOf('console/')).find(({ isEntry }) => isEntry);
  return { script: consoleAddressOf(entry?.file ?? ''), styles: (entry?.css ?? []).map(consoleAddressOf) };
}

const consoleAddressOf = (file: string): string => `/console/files/${file}`;

/** A service worker answers only for workers below its own folder, so the files of the door app are there. */
const doorAddressOf = (file: string): string => `/door/files/${file}`;

function scriptsOf(manifest: Record<string, Built>): Frame['scripts'] {
  const addressOf = (file: string) => `/assets/${file}`;
  const importsOf = ({ imports = [] }: Built): string[] =>
    imports.flatMap((key) => {
      const chunk = manifest[key];
      return chunk ? [addressOf(chunk.file), ...importsOf(chunk)] : [];
    });
  const entries = Object.values(manifest).filter(({ isEntry }) => isEntry);
  return Object.fromEntries(
    entries.map((entry) => [entry.name ?? '', { src: addressOf(entry.file), imports: [...new Set(importsOf(entry))] }]),
  );
}
