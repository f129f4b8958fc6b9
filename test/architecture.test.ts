import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { capabilities } from '../src/app.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The folders of src/ in order. A folder imports only from the folders before it. */
const order = [
  'kernel',
  'config',
  'config.ts',
  'postgres',
  'http',
  'platform',
  'accounts',
  'tax',
  'events',
  'catalog',
  'passkeys',
  'codes',
  'storefront',
  'home',
  'tickets',
  'waiting-room',
  'orders',
  'payments',
  'waiting-list',
  'door',
  'reports',
  'exports',
  'webhooks',
  'system',
  'web',
  'audit',
  'demo',
  'worker',
  'app.ts',
  'cli',
  'main.ts',
];

interface Source {
  /** The path below src/, for example `accounts/login.ts`. */
  path: string;
  /** The folder or file directly below src/, for example `accounts` or `app.ts`. */
  area: string;
  text: string;
  isTest: boolean;
  /** The files below src/ that this file imports. `packages` are the packages that it imports. */
  files: string[];
  packages: string[];
}

const sources: Source[] = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => {
    const text = readFileSync(join(root, 'src', path), 'utf8');
    const imports = [...text.matchAll(/^(?:import|export) .*?from '([^']+)'|import\('([^']+)'\)/gms)].map(
      (match) => match[1] ?? match[2] ?? '',
    );
    return {
      path,
      area: areaOf(path),
      text,
      isTest: path.endsWith('.test.ts'),
      files: imports.filter((name) => name.startsWith('.')).map((name) => normalize(join(dirname(path), name))),
      packages: imports.filter((name) => !name.startsWith('.')).map((name) => /^(@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name),
    };
  });

const code = sources.filter(({ isTest }) => !isTest);

/** For example `orders/contract.ts`, `orders/ticket-contract.ts` or `orders/order-schemas.ts`. */
const isContract = (path: string): boolean => /[/-]contract\.ts$|-schemas\.ts$/.test(path);

function areaOf(path: string): string {
  return path.split('/')[0] ?? path;
}

/** Returns the imports that break a rule, as `importer → imported`. */
const breaking = (breaks: (importer: Source, imported: string) => boolean): string[] =>
  code.flatMap((source) => source.files.filter((file) => breaks(source, file)).map((file) => `${source.path} → ${file}`));

const namedOutside = (name: string, allowed: (source: Source) => boolean): string[] =>
  code.filter((source) => source.packages.includes(name) && !allowed(source)).map(({ path }) => path);

describe('the direction of imports', () => {
  it('every folder of src/ is in the list of folders', () => {
    expect([...new Set(code.map(({ area }) => area))].filter((area) => !order.includes(area))).toEqual([]);
  });

  it('a folder imports only from the folders before it', () => {
    const isLeft = (a: string, b: string) => order.indexOf(areaOf(a)) <= order.indexOf(areaOf(b));
    expect(breaking(({ path }, imported) => !isLeft(imported, path))).toEqual([]);
  });

  it('a contract imports only the kernel and other contracts, so that a browser can use it', () => {
    expect(breaking(({ path }, imported) => isContract(path) && !imported.startsWith('kernel/') && !isContract(imported))).toEqual([]);
    expect(breaking(({ area }, imported) => area === 'kernel' && !imported.startsWith('kernel/'))).toEqual([]);
    const browserSafe = new Set(['typebox', 'temporal-polyfill']);
    const kernelPackages = code.filter(({ area, path }) => area === 'kernel' || isContract(path)).flatMap(({ packages }) => packages);
    expect(kernelPackages.filter((name) => !browserSafe.has(name))).toEqual([]);
  });

  it('no capability imports the SQL or the routes of another capability', () => {
    const isInner = (imported: string) => /\.sql\.ts$|\/routes\.ts$/.test(imported);
    expect(
      breaking(({ area, path }, imported) => isInner(imported) && areaOf(imported) !== area && !/^(app\.ts|cli\/)/.test(path)),
    ).toEqual([]);
  });
});

const importsOf = (text: string): { typeOnly: boolean; from: string }[] =>
  [...text.matchAll(/^(?:import|export)( type)? [^;]*?from '([^']+)';$/gm)].map((match) => ({
    typeOnly: match[1] !== undefined,
    from: match[2] ?? '',
  }));

describe('the client', () => {
  const ofClient = readdirSync(join(root, 'client', 'src')).map((name) => ({
    name,
    text: readFileSync(join(root, 'client', 'src', name), 'utf8'),
  }));

  it('imports only types from the service, and only from the kernel and the contracts', () => {
    const outside = ofClient.flatMap(({ text }) => importsOf(text).filter(({ from }) => !/^\.\/[a-z-]+\.ts$/.test(from)));
    expect(outside.length).toBeGreaterThan(0);
    expect(outside.filter(({ typeOnly }) => !typeOnly)).toEqual([]);
    expect(outside.map(({ from }) => from).filter((from) => !/^\.\.\/(\.\.\/src\/kernel\/|build\/contracts\.ts$)/.test(from))).toEqual([]);
    const contracts = readFileSync(join(root, 'client/build/contracts.ts'), 'utf8');
    expect(importsOf(contracts).filter(({ from }) => !from.endsWith('/contract.ts'))).toEqual([]);
  });
});

/** Rules without I/O that the server and the web apps share. They import only each other, so that they run in a browser. */
const sharedRules = [
  'src/door/admission.ts',
  'src/door/scan-validity.ts',
  'src/door/session-window.ts',
  'src/tax/calculate.ts',
  'src/tickets/base32.ts',
  'src/tickets/read-code.ts',
];

describe('the web apps', () => {
  it('the rules that the server and the web apps share import only each other', () => {
    const outside = sharedRules.flatMap((file) => {
      const imports = importsOf(readFileSync(join(root, file), 'utf8'));
      return imports.map(({ from }) => normalize(join(dirname(file), from))).filter((name) => !sharedRules.includes(name));
    });
    expect(outside).toEqual([]);
  });

  it('import from the service only contracts, shared rules, the kernel and the client, so that no code of the server gets into a script', () => {
    const files = readdirSync(join(root, 'web'), { recursive: true, encoding: 'utf8' }).filter((path) => /\.tsx?$/.test(path));
    const outside = files.flatMap((path) => {
      const text = readFileSync(join(root, 'web', path), 'utf8');
      const imports = [...text.matchAll(/from '(\.[^']+)'|import\('(\.[^']+)'\)/g)].map((match) => match[1] ?? match[2] ?? '');
      return imports.map((name) => normalize(join('web', dirname(path), name))).filter((file) => !file.startsWith('web'));
    });
    expect(outside.length).toBeGreaterThan(0);
    const unshared = outside.filter((file) => !sharedRules.includes(file));
    expect(
      unshared.filter((file) => !/^src\/(kernel\/[\w-]+|[\w-]+\/(([\w-]+-)?contract|[\w-]+-schemas))\.ts$|^client\/src\//.test(file)),
    ).toEqual([]);
  });
});

describe('limited imports', () => {
  it('only http/ and app.ts import fastify', () => {
    const fastify = [...new Set(code.flatMap(({ packages }) => packages))].filter((name) => /^(fastify|@fastify)\b/.test(name));
    for (const name of fastify) expect(namedOutside(name, ({ area }) => area === 'http' || area === 'app.ts')).toEqual([]);
  });

  it('only postgres/ and *.sql.ts import kysely, and only postgres/ imports pg', () => {
    expect(namedOutside('kysely', ({ area, path }) => area === 'postgres' || path.endsWith('.sql.ts'))).toEqual([]);
    expect(namedOutside('pg', ({ area }) => area === 'postgres')).toEqual([]);
  });

  it('only one file uses OpenTelemetry, and it is loaded by a dynamic import, so that it costs nothing without tracing', () => {
    const adapter = 'platform/open-telemetry.ts';
    const users = code.filter(({ packages }) => packages.some((name) => name.startsWith('@opentelemetry/')));
    expect(users.map(({ path }) => path)).toEqual([adapter]);
    const importers = code.filter(({ files }) => files.includes(adapter));
    expect(importers.map(({ path, text }) => [path, /from '[^']*open-telemetry\.ts'/.test(text)])).toEqual([['cli/serve.ts', false]]);
  });

  it('no code of the service reads the clock of the machine, because the time comes from the database', () => {
    expect(code.filter(({ text }) => /new Date\(\)|Date\.now\(/.test(text)).map(({ path }) => path)).toEqual([]);
  });

  it('only config.ts, main.ts and the two files that start PostgreSQL read the environment', () => {
    const allowed = ['config.ts', 'main.ts', 'postgres/embedded/cluster.ts', 'postgres/embedded/binaries.ts'];
    expect(code.filter(({ path, text }) => !allowed.includes(path) && text.includes('process.env')).map(({ path }) => path)).toEqual([]);
  });

  it('each table is written by only one capability', () => {
    const writers = new Map<string, Set<string>>();
    const writing =
      /(?:insertInto|updateTable|deleteFrom)\('(\w+)'|\b(?:insert into|update|delete from)\s+([a-z_]+)\s*(?:\(|set|where|select)/g;
    for (const { area, text } of code) {
      for (const [, built, raw] of text.matchAll(writing)) {
        const table = built ?? raw ?? '';
        writers.set(table, (writers.get(table) ?? new Set()).add(area));
      }
    }
    const exceptions = [
      'ticket_log: events, tickets', // creating an event inserts its row
    ];
    const shared = [...writers].filter(([, areas]) => areas.size > 1).map(([table, areas]) => `${table}: ${[...areas].join(', ')}`);
    expect(shared.toSorted()).toEqual(exceptions);
    expect(writers.size).toBeGreaterThan(10);
  });
});

describe('names', () => {
  it('files are named in lower case with dashes', () => {
    expect(sources.filter(({ path }) => !/^([a-z0-9-]+\/)*[a-z0-9-]+(\.sql|\.test)*\.ts$/.test(path)).map(({ path }) => path)).toEqual([]);
  });

  it('no two operations have the same name or the same method and path', () => {
    const names = capabilities.flatMap(({ contract }) => Object.keys(contract));
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
    const addresses = capabilities.flatMap(({ contract }) => Object.values(contract).map(({ method, path }) => `${method} ${path}`));
    expect(addresses.filter((address, i) => addresses.indexOf(address) !== i)).toEqual([]);
  });

  it('each operation has a function with its name, or shares the function of a similar operation', () => {
    const shared = ['getSessionTickets', 'listCategoryEvents', 'getTicketSvg', 'getTicketPng', 'getGuestlist', 'watchExport'];
    const useCases = code
      .filter(({ path }) => !/[/-]contract\.ts$|\/routes\.ts$/.test(path))
      .map(({ text }) => text)
      .join('\n');
    const names = capabilities.flatMap(({ contract }) => Object.keys(contract));
    const missing = names.filter((name) => !new RegExp(`(function|const) ${name}s?\\b`).test(useCases));
    expect(missing).toEqual(shared);
  });

  it('migrations are numbered without a gap', () => {
    const numbers = readdirSync(join(root, 'migrations')).map((name) => Number(name.slice(0, 4)));
    expect(numbers.toSorted((a, b) => a - b)).toEqual(numbers.map((_, i) => i + 1));
  });
});

describe('tidiness', () => {
  const folders = ['src', 'test', 'bench', 'trust', 'bin', 'migrations', 'client/src', 'client/build', 'client/test', 'web'];
  const everything = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.(tsx?|js|sql)$/.test(path))
      .map((path) => ({ path: join(folder, path), text: readFileSync(join(root, folder, path), 'utf8') })),
  );

  const testFiles = everything.filter(
    ({ path }) => path.endsWith('.test.ts') || path.startsWith('test') || path.startsWith(join('client', 'test')),
  );

  it('no file has more than 350 lines, except tables of data and tests', () => {
    const tables = [
      join('client', 'src', 'methods.ts'),
      join('src', 'demo', 'events.ts'),
      join('src', 'postgres', 'schema.ts'),
      join('test', 'access-rows.ts'),
    ];
    const isData = (path: string) => tables.includes(path) || path.endsWith('.test.ts');
    expect(everything.filter(({ path, text }) => !isData(path) && text.split('\n').length > 350).map(({ path }) => path)).toEqual([]);
  });

  it('tests take their randomness from test/random.ts, so that TEST_SEED repeats a run', () => {
    // The pattern is split so that it does not match itself. Names of databases are random, because several runs may share a server.
    const random = new RegExp(['Math\\.', 'random\\(|\\brandom', '(Int|Bytes|UUID)\\(|getRandom', 'Values\\('].join(''));
    const unseeded = testFiles.filter(({ path, text }) => random.test(text) && path !== join('test', 'database.ts'));
    expect(unseeded.map(({ path }) => path)).toEqual([]);
  });

  it('tests wait for a condition, not for a fixed time', () => {
    const exceptions = [
      'client/test/sending.test.ts', // aborts during a wait of 30 s
      'client/test/session.test.ts', // uses two timers of one process, which fire in order
      'client/test/watching.test.ts', // aborts after a short time, and any time is correct
      'src/codes/codes.test.ts', // slows down transactions, so that they overlap
      'src/codes/hostile-uploads.test.ts', // has a client that is slow on purpose
      'test/eventually.ts',
      'test/malformed/malformed.test.ts', // has a timeout
      'test/malformed/raw.ts', // has a timeout, and a client that is slow on purpose
      'test/onsale-kill.test.ts', // waits between retries, and until the random time of a kill
      'test/payment-kills/buyers.ts', // polls like the page of a buyer
      'test/payment-kills/kill-points.ts', // waits until the random time of a kill
      'test/payment-kills/persistent-client.ts', // waits between retries
      'test/payment-kills/postman.ts', // delivers notices late
      'test/payment-kills/provider-gate.ts', // has a provider that is slow on purpose
      'test/pages.test.ts', // checks for up to a second that a page shows a change
      'test/process-table.ts',
      'test/waiting-list-kill.test.ts', // waits between retries, between tries of buyers, and until the random time of a kill
    ];
    const waits = testFiles.filter(({ text }) => new RegExp(['setTime', 'out\\b|pg_sl', 'eep\\('].join('')).test(text));
    expect(waits.map(({ path }) => path.replaceAll('\\', '/')).filter((path) => !exceptions.includes(path))).toEqual([]);
  });

  it('no file has a marker for unfinished work, and no test is skipped', () => {
    // The pattern is split so that it does not match itself.
    const marks = /T[O]DO|FIX[M]E|\bX[X]X\b|HA[C]K|not impl[e]mented|\b(it|describe|test)\.(only|skip|todo)\(/;
    expect(everything.filter(({ text }) => marks.test(text)).map(({ path }) => path)).toEqual([]);
  });

  it('the files that the documents name exist', () => {
    const documents = readdirSync(root).filter((name) => name.endsWith('.md'));
    const missing = documents.flatMap((name) => {
      const named = [...readFileSync(join(root, name), 'utf8').matchAll(/`((?:src|test|migrations|bin|client|bench)\/[\w./-]+)`/g)].map(
        (match) => match[1] ?? '',
      );
      const known = new Set([...sources.map(({ path }) => join('src', path)), ...everything.map(({ path }) => path)]);
      const exists = (path: string) => [...known].some((file) => file === path || file.startsWith(path.endsWith('/') ? path : `${path}/`));
      return named.filter((path) => !exists(path)).map((path) => `${name}: ${path}`);
    });
    expect(missing).toEqual([]);
  });
});
