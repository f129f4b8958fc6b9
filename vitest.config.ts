import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

type Project = 'unit' | 'service' | 'process';

const testFiles = ['src', 'test', 'client/test', 'web'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.test\.tsx?$/.test(path))
    .map((path) => join(folder, path).replaceAll('\\', '/')),
);

/** The project of a test file follows from the helpers that it uses, so there is no list to maintain. */
function projectOf(file: string): Project {
  const text = readFileSync(file, 'utf8');
  if (/from '(node:child_process|\.[./]*(test\/)?(use-processes|process|use-browser)\.ts)'|\bstartEmbedded\(/.test(text)) return 'process';
  if (/from '\.[./]*(test\/)?(harness|service|stripe\/use-stripe-shop)\.ts'/.test(text)) return 'service';
  return 'unit';
}

const filesOf = (project: Project): string[] => testFiles.filter((file) => projectOf(file) === project);

const globalSetup = 'test/global-setup.ts';
const setupFiles = ['test/setup.ts'];

export default defineConfig({
  test: {
    // Vitest starts the projects in the order of their names. The slow ones, which start processes, come first, so that no
    // worker waits for one of them at the end.
    projects: [
      {
        extends: true,
        test: { name: 'process', include: filesOf('process'), globalSetup: [globalSetup, 'test/demo-folder.ts'], setupFiles },
      },
      { extends: true, test: { name: 'service', include: filesOf('service'), globalSetup, setupFiles } },
      // Without PostgreSQL: these run in seconds.
      {
        extends: true,
        test: { name: 'unit', include: filesOf('unit'), setupFiles: [...setupFiles, 'test/forbid-database.ts'] },
      },
    ],
    pool: 'forks',
    // The files of a project share workers and loaded modules. A new worker for each file took a quarter of the time.
    isolate: false,
    // The second run of the tests, and the second project of a run, need not transform the same files again.
    experimental: { fsModuleCache: true },
    // More than 8 workers could use up the connections of the PostgreSQL that they share.
    maxWorkers: Math.min(8, Math.max(2, availableParallelism())),
    // The timeouts only end tests that hang. On a busy machine a test may take many times longer than usual.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
