import { gzipSync } from 'node:zlib';
import { build } from 'vite';
import { expect, it } from 'vitest';
import { doorBuild } from './build-config.js';

interface BuiltFile {
  fileName: string;
  code?: string;
  source?: string | Uint8Array;
}

/** Builds the app in memory. Returns the gzipped size of each file in kB by the start of its name. */
async function builtSizes(): Promise<(start: string) => number> {
  const { outDir: _, ...options } = doorBuild.build;
  const jsx = { runtime: 'automatic', importSource: 'preact' } as const;
  const built = await build({
    ...doorBuild,
    configFile: false,
    publicDir: false,
    logLevel: 'silent',
    oxc: { jsx },
    build: { ...options, write: false },
  });
  const files = (built as { output: BuiltFile[] }).output;
  const sizes = files.map(({ fileName, code, source }) => ({
    fileName,
    size: gzipSync(code ?? source ?? '', { level: 9 }).length / 1_000,
  }));
  return (start) => {
    const found = sizes.filter(({ fileName }) => fileName.startsWith(start) && fileName.endsWith('.js'));
    if (found.length !== 1) throw new Error(`There are ${found.length} scripts whose name starts with ${start}`);
    return found[0]?.size ?? 0;
  };
}

it('the scripts that scanning loads are smaller than 25 kB, and the files that few devices need are not part of them', async () => {
  const sizeOf = await builtSizes();
  const language = Math.max(...['door.en', 'door.es', 'door.pt-BR'].map(sizeOf));
  expect(sizeOf('door-') + language).toBeLessThan(25);
  expect(sizeOf('panels-')).toBeLessThan(6);
  // For browsers without Ed25519.
  expect(sizeOf('ed25519-')).toBeLessThan(5);
  // For browsers that cannot read QR codes. The wasm comes on top.
  expect(sizeOf('decoder.worker-')).toBeLessThan(14);
});
