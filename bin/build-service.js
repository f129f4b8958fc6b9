// Bundles the service into dist/service. Loading a few files at the start takes half as long as loading 600.
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Packages that consist of hundreds of small modules. All others are loaded from node_modules. */
const bundled = /^(kysely|typebox|temporal-polyfill)(\/|$)/;
const isPackage = (id, importer) => importer !== undefined && /^[@\w]/.test(id);

const bundle = await rolldown({
  cwd: root,
  input: {
    main: 'src/main.ts',
    // An entry of its own, so that a measurement can change its limits.
    'batch-queue': 'src/http/batch-queue.ts',
  },
  platform: 'node',
  external: (id, importer) => isPackage(id, importer) && !bundled.test(id),
});
await bundle.write({ dir: 'dist/service', cleanDir: true, sourcemap: true, chunkFileNames: '[name].js' });
