// `node --import ./test/typescript.js file.ts` runs TypeScript on Node 20, which cannot do so by itself. Types are removed, not checked:
// `npm run check:types` checks them.
import { register } from 'node:module';

process.setSourceMapsEnabled(true);
register('./typescript-hooks.js', import.meta.url);
