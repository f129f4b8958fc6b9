#!/usr/bin/env node
// Starts Tessera from a checkout or a package. In a checkout it compiles first what has changed since the last time, so that
// `npm ci && npm start` is all it takes, whether or not install scripts ran.
import { fileURLToPath } from 'node:url';
import { buildChanges } from './build.js';

if (!(await buildChanges())) process.exit(1);
await import(fileURLToPath(new URL('../dist/service/main.js', import.meta.url)));
