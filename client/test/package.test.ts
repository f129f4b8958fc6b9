import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { capabilities } from '../../src/app.ts';
import { type Service } from '../../test/process.ts';
import { useDataFolders } from '../../test/use-processes.ts';
import { contracts } from '../build/contracts.ts';
import { describeOperations, describeTypes, operations } from '../build/describe.ts';
import { compile, compilePackage } from '../build/package.ts';
import { createClient } from '../src/index.ts';

// Starting processes and compilers can take minutes on a busy machine.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const root = fileURLToPath(new URL('../..', import.meta.url));
const client = join(root, 'client');
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tessera-package-')));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const examples = readdirSync(join(client, 'examples'));
const read = (path: string): string => readFileSync(join(client, path), 'utf8');

/** Returns the error messages of the compiler for a folder. */
function compilerErrors(path: string): string[] {
  try {
    compile(root, path);
    return [];
  } catch (error) {
    return (error as Error).message.trim().split('\n');
  }
}

/** Returns the rows of the table of methods in the README, one for each group of methods. */
function rowsOf(client: object): string[] {
  return Object.entries(client).flatMap(([group, methods]) => {
    if (typeof methods === 'function') return [];
    const names = Object.entries(methods as object).flatMap(([name, method]) =>
      typeof method === 'function' ? [name] : Object.keys(method as object).map((inner) => `${name}.${inner}`),
    );
    return [`| \`client.${group}\` | ${names.map((name) => `\`${name}\``).join(', ')} |`];
  });
}

describe('the generated list of operations', () => {
  it('is up to date with the contracts (`npm run client` writes it)', () => {
    expect(read('src/operations.ts')).toBe(describeOperations());
  });

  it('has every operation of every capability (a new capability needs a line in build/contracts.ts)', () => {
    expect(Object.keys(contracts).toSorted()).toEqual(capabilities.flatMap(({ contract }) => Object.keys(contract)).toSorted());
  });

  it('has a client method for each operation, and for each list a method that iterates over all pages', () => {
    const methods = read('src/methods.ts');
    expect(operations.map(([name]) => name).filter((name) => !methods.includes(`'${name}'`))).toEqual([]);
    const lists = operations.filter(([, route]) => 'cursor' in (route.query?.properties ?? {})).map(([name]) => name);
    expect(lists.filter((name) => !new RegExp(`all(<[^>]+>)?\\('${name}'\\)`).test(methods))).toEqual([]);
  });
});

describe('the types in the package', () => {
  /**
   * Returns source code that does not compile if the two types of an operation differ. The error message contains the name of the
   * operation.
   */
  const comparison = (written: string) =>
    [
      `import type * as inferred from '${client}/src/api.ts';`,
      `import type * as written from './${written}.ts';`,
      'type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;',
      'type Plain<T> = T extends (infer E)[] ? Plain<E>[] : T extends Blob | Uint8Array ? T : T extends object ? { -readonly [K in keyof T]: Plain<T[K]> } : T;',
      'type I = inferred.Operations; type W = written.Operations;',
      'type Different = { [K in keyof I]: K extends keyof W ? (Same<Plain<I[K]>, Plain<W[K]>> extends true ? never : K) : K }[keyof I];',
      'export const same: { [K in Different]: K } = {};',
      'type Others = [Same<keyof I, keyof W>, Same<inferred.ProblemCode, written.ProblemCode>, Same<inferred.Group, written.Group>, Same<inferred.FileContent, written.FileContent>];',
      'export const others: Others = [true, true, true, true];',
    ].join('\n');

  it('equal the types inferred from the contracts; control: one different field is reported', () => {
    const place = join(folder, 'types');
    mkdirSync(place);
    const types = describeTypes();
    const changed = types.replace('archived?: boolean', 'archived?: string');
    writeFileSync(join(place, 'written.ts'), types);
    writeFileSync(join(place, 'changed.ts'), changed);
    writeFileSync(join(place, 'same.ts'), comparison('written'));
    writeFileSync(join(place, 'different.ts'), comparison('changed'));
    writeFileSync(join(place, 'package.json'), '{ "type": "module" }');
    const compilerOptions = { typeRoots: [join(root, 'node_modules/@types')] };
    writeFileSync(
      join(place, 'tsconfig.json'),
      JSON.stringify({ extends: join(root, 'tsconfig.json'), compilerOptions, include: ['*.ts'] }),
    );
    const found = compilerErrors(place);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(/different\.ts\(7,.*updateItem/);
  });
});

describe('the package', () => {
  const project = join(folder, 'project');
  const packed = join(folder, 'package');
  const newDataFolder = useDataFolders(afterAll);
  let service: Service;
  let files: string[];

  const npm = (args: string[], cwd: string): string => execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: 'pipe' });
  const node = (file: string): string =>
    execFileSync(process.execPath, [file], { cwd: project, encoding: 'utf8', env: { TESSERA_API: `${service.origin}/v1` } });

  beforeAll(async () => {
    mkdirSync(project);
    compilePackage(root, join(packed, 'dist'));
    for (const name of ['package.json', 'README.md', 'examples']) cpSync(join(client, name), join(packed, name), { recursive: true });
    const [tarball] = JSON.parse(npm(['pack', '--json', '--pack-destination', folder], packed)) as [
      { filename: string; files: { path: string }[] },
    ];
    files = tarball.files.map(({ path }) => path);
    writeFileSync(join(project, 'package.json'), '{ "name": "shop", "private": true, "type": "module" }');
    npm(['install', join(folder, tarball.filename), '--offline', '--no-audit', '--no-fund'], project);
    cpSync(join(client, 'examples'), project, { recursive: true });
    service = await newDataFolder({ copyOf: inject('demoFolder') }).serve();
  });

  it('contains only its own files and has no dependencies', () => {
    expect(
      files.filter((path) => !/^(dist\/[a-z-]+\.(js|d\.ts)|dist\/LICENSE|examples\/[a-z]+\.mjs|README\.md|package\.json)$/.test(path)),
    ).toEqual([]);
    const { dependencies, peerDependencies } = JSON.parse(read('package.json')) as Record<string, unknown>;
    expect([dependencies, peerDependencies]).toEqual([undefined, undefined]);
    expect(readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['tessera-client']);
    const everything = files.filter((path) => path.startsWith('dist/')).map((path) => readFileSync(join(packed, path), 'utf8'));
    expect(everything.filter((text) => /typebox|\.\.\/|['"]node:/.test(text))).toEqual([]);
  });

  it.each(examples)('%s runs in a new project that has installed the package', (name) => {
    expect(node(name)).not.toBe('');
  });

  it('has types for TypeScript and JavaScript projects; control: each mistake is reported', () => {
    const setUp = ["import { createClient, outcome } from 'tessera-client';", "const client = createClient({ environment: 'local' });"];
    const right = [
      "import type { Item, ProblemOf } from 'tessera-client';",
      "const item: Item = await client.items.create({ eventId: 1, name: 'Balcony' });",
      "const title: string = (await client.events.identify({ link: 'x', fields: ['title'] })).title;",
      'for await (const { code } of client.codes.listAll({ itemId: item.id })) code.trim();',
      "const paid = await outcome(client.orders.pay({ id: 1, secret: 's', method: 'card' }));",
      'if (!paid.ok && paid.problem.code === "sold_out") paid.problem.errors.map(({ field }) => field);',
      'export type Refused = ProblemOf<typeof client.orders.create>;',
      'export default title;',
    ];
    const wrong = [
      "await client.items.create({ eventId: 1, nome: 'Balcony' });",
      "await client.items.create({ eventId: 1, name: 'Balcony', quantity: '1' });",
      'await client.items.create({ eventId: 1 });',
      '(await client.items.get({ id: 1 })).price;',
      "await outcome(client.items.get({ id: 1 })).then((got) => !got.ok && got.problem.code === 'sold_out');",
    ];
    writeFileSync(join(project, 'right.ts'), [...setUp, ...right].join('\n'));
    writeFileSync(join(project, 'wrong.ts'), [...setUp, ...wrong].join('\n'));
    const strict = { strict: true, exactOptionalPropertyTypes: true, module: 'nodenext', target: 'es2022', noEmit: true };
    const examplesToo = { allowJs: true, checkJs: true, typeRoots: [join(root, 'node_modules/@types')], types: ['node'] };
    const config = { compilerOptions: { ...strict, ...examplesToo }, include: ['*.ts', '*.mjs'] };
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(config));
    const found = compilerErrors(project).filter((line) => !line.startsWith(' '));
    expect(found.map((line) => /(\w+\.\w+)\((\d+),/.exec(line)?.slice(1).join(' '))).toEqual(
      wrong.map((_, i) => `wrong.ts ${setUp.length + 1 + i}`),
    );
  });

  it('is smaller than 10 kB in a browser bundle, minified and gzipped', async () => {
    writeFileSync(
      join(folder, 'page.js'),
      "import { createClient } from 'tessera-client'; globalThis.client = createClient({ environment: 'local' });",
    );
    const bundle = await rolldown({
      input: join(folder, 'page.js'),
      platform: 'browser',
      resolve: { alias: { 'tessera-client': join(packed, 'dist/index.js') } },
    });
    const { output } = await bundle.generate({ minify: true });
    expect(output).toHaveLength(1);
    const bytes = gzipSync(output[0].code, { level: 9 }).length;
    expect(bytes).toBeGreaterThan(1_000);
    expect(bytes).toBeLessThan(10_000);
  });

  it('has a README that lists all methods and quotes the examples unchanged', () => {
    const readme = read('README.md');
    for (const row of rowsOf(createClient({ environment: 'local' }))) expect(readme).toContain(row);
    for (const name of examples) expect(readme).toContain(read(join('examples', name)).trim());
  });
});
