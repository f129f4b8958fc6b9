import { gzipSync } from 'node:zlib';
import { build } from 'vite';
import { expect, it } from 'vitest';
import { consoleBuild } from './build-config.js';

interface BuiltFile {
  fileName: string;
  code?: string;
  source?: string | Uint8Array;
  imports?: string[];
  /** The module of a lazy file. */
  facadeModuleId?: string | null;
  viteMetadata?: { importedCss: Set<string> };
}

const sizeOf = ({ code, source }: BuiltFile): number => gzipSync(code ?? source ?? '', { level: 9 }).length / 1_000;

/** Builds the console in memory. */
async function builtFiles(): Promise<BuiltFile[]> {
  const { outDir: _, ...options } = consoleBuild.build;
  const jsx = { runtime: 'automatic', importSource: 'preact' } as const;
  const built = await build({
    ...consoleBuild,
    configFile: false,
    publicDir: false,
    logLevel: 'silent',
    oxc: { jsx },
    build: { ...options, write: false },
  });
  return (built as { output: BuiltFile[] }).output;
}

it('the first screens load less than 45 kB of scripts and styles, and only one language', async () => {
  const files = await builtFiles();
  const fileOf = (module: string) => {
    const found = files.find(({ facadeModuleId }) => facadeModuleId?.endsWith(module));
    if (!found) throw new Error(`${module} is not a file of its own`);
    return found;
  };
  /** The files that a screen loads: its own, and the scripts and styles that these import. */
  const loadedBy = (...modules: string[]): Set<BuiltFile> => {
    const loaded = new Set<BuiltFile>();
    const add = (file: BuiltFile) => {
      loaded.add(file);
      for (const name of [...(file.imports ?? []), ...(file.viteMetadata?.importedCss ?? [])]) {
        const imported = files.find(({ fileName }) => fileName === name);
        if (imported && !loaded.has(imported)) add(imported);
      }
    };
    for (const module of modules) add(fileOf(module));
    return loaded;
  };
  const frame = ['web/console/main.tsx', 'web/messages/console/frame.pt-BR.ts'];
  for (const area of ['sign-in', 'events']) {
    const loaded = loadedBy(...frame, `screens/${area}/screens.ts`, `web/messages/console/${area}.pt-BR.ts`);
    const size = [...loaded].reduce((sum, file) => sum + sizeOf(file), 0);
    expect(size, [...loaded].map((file) => `${file.fileName} ${sizeOf(file)}`).join(', ')).toBeLessThan(45);
  }
});
