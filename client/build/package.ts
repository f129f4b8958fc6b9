import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeOperations, describeTypes, documentMethods } from './describe.ts';

/** The strictest compiler options that a user of the package may have. Node types are left out, so that the code also runs in a browser. */
const compilerOptions = {
  target: 'es2022',
  lib: ['es2023', 'dom', 'dom.iterable'],
  module: 'nodenext',
  types: [],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  verbatimModuleSyntax: true,
  rewriteRelativeImportExtensions: true,
  declaration: true,
  rootDir: '.',
};

/** Returns the sources of the published package. They do not import the contracts: their types are written as plain TypeScript. */
export function publishedSources(client: string): Record<string, string> {
  const read = (name: string) => readFileSync(join(client, 'src', name), 'utf8');
  const sources = Object.fromEntries(readdirSync(join(client, 'src')).map((name) => [name, read(name)]));
  return {
    ...sources,
    'operations.ts': describeOperations(),
    'api.ts': describeTypes(),
    'methods.ts': documentMethods(read('methods.ts')),
  };
}

/** Compiles the package into the folder `into`. Throws an error with the messages of the compiler if it does not compile. */
export function compilePackage(root: string, into: string): void {
  const stage = mkdtempSync(join(tmpdir(), 'tessera-client-'));
  try {
    for (const [name, text] of Object.entries(publishedSources(join(root, 'client')))) writeFileSync(join(stage, name), text);
    writeFileSync(join(stage, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(stage, 'tsconfig.json'), JSON.stringify({ compilerOptions: { ...compilerOptions, outDir: 'out' } }));
    compile(root, stage);
    rmSync(into, { recursive: true, force: true });
    mkdirSync(into, { recursive: true });
    for (const name of readdirSync(join(stage, 'out'))) {
      // The compiler does not rewrite the file extensions of imports in the declaration files.
      const text = readFileSync(join(stage, 'out', name), 'utf8');
      writeFileSync(join(into, name), text.replaceAll(/(from '|import\(")(\.\/[\w-]+)\.ts(?=['"])/g, '$1$2.js'));
    }
    copyFileSync(join(root, 'LICENSE'), join(into, 'LICENSE'));
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

export function compile(root: string, folder: string): void {
  try {
    execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder], { encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    throw new Error((error as { stdout: string }).stdout, { cause: error });
  }
}

/** Writes src/operations.ts and the package. `npm run client` calls this function. */
export function build(root: string): void {
  writeFileSync(join(root, 'client/src/operations.ts'), describeOperations());
  compilePackage(root, join(root, 'client/dist'));
}
