// W1: the JavaScript that the first page of each web app loads, compressed with gzip, as a share of its limit.
import { gzipSync } from 'node:zlib';
import type { Measure } from './measure.ts';
import { withService } from './service.ts';

const pages = [
  { name: 'event page', path: '/en/event/noite-de-samba', maxKB: 15 },
  { name: 'console', path: '/console/', maxKB: 45 },
  { name: 'door', path: '/door/', maxKB: 25 },
];

const linked = /<(?:script|link)[^>]+(?:src|href)="?([^"\s>]+\.js)"?/g;
const imported = /\b(?:import|from)\s*["'](\.{1,2}\/[^"']+\.js)["']/g;

/** Returns the URLs of the scripts that a page loads before anybody clicks: those that it links, and what these import statically. */
async function scriptsOf(origin: string, path: string): Promise<Map<string, string>> {
  const scripts = new Map<string, string>();
  const html = await (await fetch(`${origin}${path}`)).text();
  const waiting = [...html.matchAll(linked)].map(([, name = '']) => new URL(name, `${origin}${path}`).href);
  for (let url = waiting.pop(); url !== undefined; url = waiting.pop()) {
    if (scripts.has(url)) continue;
    const text = await (await fetch(url)).text();
    scripts.set(url, text);
    const from = url;
    waiting.push(...[...text.matchAll(imported)].map(([, name = '']) => new URL(name, from).href));
  }
  return scripts;
}

export const measureScriptSizes: Measure = ({ progress }) =>
  withService({}, async ({ origin }) => {
    progress('W1');
    const sizes = [];
    for (const { name, path, maxKB } of pages) {
      const scripts = [...(await scriptsOf(origin, path)).values()];
      if (scripts.length === 0) throw new Error(`${path} loads no script`);
      const kB = scripts.reduce((sum, text) => sum + gzipSync(text, { level: 9 }).length, 0) / 1_000;
      sizes.push({ name, kB, maxKB, scripts: scripts.length });
    }
    return { W1: { value: Math.max(...sizes.map(({ kB, maxKB }) => kB / maxKB)), sizes } };
  });
