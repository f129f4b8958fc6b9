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
};

/** The entry of a file in the manifest of Vite. */
interface Built {
  file: string;
  name?: string;
  isEntry?: boolean;
  imports?: string[];
}

export interface BuiltFiles {
  renderPage: RenderPage;
  assets: ReadonlyMap<string, Asset>;
  scripts: Frame['scripts'];
  embedScript: string;
}

/** Loads what web/build.js has built: the renderer, and the files for browsers, compressed once. */
export async function loadBuiltFiles(): Promise<BuiltFiles> {
  const { renderPage } = (await import(new URL('server/shop.js', folder).href)) as { renderPage: RenderPage };
  const manifest = JSON.parse(await readFile(new URL('browser/manifest.json', folder), 'utf8')) as Record<string, Built>;
  const names = (await readdir(new URL('browser/', folder))).filter((name) => name !== 'manifest.json');
  const assets = await Promise.all(
    names.map(async (name) => {
      const mediaType = mediaTypes[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream';
      return [name, await createAsset(mediaType, await readFile(new URL(`browser/${name}`, folder)))] as const;
    }),
  );
  const embedScript = await readFile(new URL('embed/embed.js', folder), 'utf8');
  return { renderPage, assets: new Map(assets), scripts: scriptsOf(manifest), embedScript };
}

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
