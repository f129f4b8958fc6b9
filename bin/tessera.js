#!/usr/bin/env node
// Starts Tessera from a checkout or a package. In a checkout it compiles first what has changed since the last time, so that
// `npm ci && npm start` is all it takes, whether or not install scripts ran.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const sources = join(root, 'src');
const entry = join(root, 'dist/main.js');

const newest = (folder) =>
  Math.max(
    ...readdirSync(folder, { recursive: true }).map((name) => statSync(join(folder, name)).mtimeMs),
    statSync(join(root, 'tsconfig.build.json')).mtimeMs,
  );

if (existsSync(sources) && (!existsSync(entry) || newest(sources) > statSync(entry).mtimeMs)) {
  const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
  const { status } = spawnSync(process.execPath, [compiler, '-p', join(root, 'tsconfig.build.json')], { stdio: ['ignore', 2, 2] });
  if (status !== 0) process.exit(1);
}

await import(entry);
