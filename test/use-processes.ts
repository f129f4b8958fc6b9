import { afterAll, afterEach, beforeAll, vi } from 'vitest';
import { createDataFolder, type DataFolder, type DataFolderOptions, type ExitResult } from './process.ts';

type NewDataFolder = (options?: DataFolderOptions) => DataFolder;

/** Creates places. After each test, or after all, their processes are killed and their folders removed, even if a test failed. */
export function useDataFolders(after: (work: () => Promise<void>) => void): NewDataFolder {
  const removals: (() => Promise<void>)[] = [];
  after(async () => {
    for (const remove of removals.splice(0)) await remove();
  });
  return (options = {}) => {
    const { folder, remove } = createDataFolder(options);
    removals.push(remove);
    return folder;
  };
}

interface DataFolders {
  newDataFolder: NewDataFolder;
  /** Has the demo data; nothing runs on it. */
  fixture: DataFolder;
  /** A copy of the fixture. Most tests start from one, because copying is faster than creating a database. */
  demoDataFolder: () => DataFolder;
  /** How the command that created the demo data ended. */
  loaded: () => ExitResult | undefined;
}

/** For the top of a test file. */
export function useProcesses(): DataFolders {
  // Processes start slowly on a busy machine.
  vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });
  const newDataFolder = useDataFolders(afterEach);
  const fixture = useDataFolders(afterAll)();
  let loaded: ExitResult | undefined;
  beforeAll(async () => {
    loaded = await fixture.run(['demo']);
  });
  return { newDataFolder, fixture, demoDataFolder: () => newDataFolder({ like: fixture }), loaded: () => loaded };
}
