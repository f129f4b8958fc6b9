// `node --import ./test/typescript.js file.ts` runs TypeScript on Node 20, which cannot run TypeScript by itself. Types are removed without
// a check. `npm run check:types` checks them.
import { register } from 'node:module';

process.setSourceMapsEnabled(true);
register('./typescript-hooks.js', import.meta.url);
