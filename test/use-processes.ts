import { afterEach, inject, vi } from 'vitest';
import { createDataFolder, type DataFolder, type DataFolderOptions } from './process.ts';

type NewDataFolder = (options?: DataFolderOptions) => DataFolder;

/** Returns a function that creates data folders. It registers with `after` the work that kills their processes and removes the folders. */
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
  /** Creates a folder with a copy of the demo data (see demo-folder.ts). This is faster than a start on an empty folder. */
  demoDataFolder: () => DataFolder;
}

/** Returns functions that create data folders. Call it once at the top of a test file that starts processes. */
export function useProcesses(): DataFolders {
  // Starting a process can take long on a busy machine.
  vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });
  const newDataFolder = useDataFolders(afterEach);
  return { newDataFolder, demoDataFolder: () => newDataFolder({ copyOf: inject('demoFolder') }) };
}
