// `npm run client`: writes src/operations.ts from the contracts, and then the package into dist/. build/package.ts does this work.
// This script bundles that file first, because Node 20 cannot run TypeScript.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'tessera-client-'));
try {
  const file = join(folder, 'package.mjs');
  const bundle = await rolldown({ input: join(root, 'client/build/package.ts'), platform: 'node' });
  await bundle.write({ file });
  const { build } = await import(pathToFileURL(file).href);
  build(root);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true });
}
