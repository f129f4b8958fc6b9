import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { FileStoreError, type Files, requireKey } from './files.ts';

const noSuchFile = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

const readable: Record<string, string> = {
  ENOSPC: 'The file store is full',
  EDQUOT: 'The file store is full',
  EACCES: 'The file store is not writable',
  EROFS: 'The file store is not writable',
  EIO: 'The disk of the file store reports errors',
};

function explain(error: unknown): never {
  const message = readable[(error as NodeJS.ErrnoException).code ?? ''];
  throw message ? new FileStoreError(message, { cause: error }) : error;
}

/** Stores files in a folder. A file is written and synced under a temporary name and then renamed, so that readers never see an incomplete file. */
export function diskFiles(root: string): Files {
  const pathOf = (key: string): string => join(root, requireKey(key));
  const partOf = (key: string): string => `${pathOf(key)}.part`;

  async function write(key: string, _mediaType: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const folder = dirname(pathOf(key));
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 }).catch(explain);
      const part = await open(partOf(key), 'w', 0o600).catch(explain);
      await thenClose(part, async () => {
        for await (const chunk of bytes) await part.writeFile(chunk).catch(explain);
        await part.sync().catch(explain);
      });
      await rename(partOf(key), pathOf(key));
      const entry = await open(folder, 'r');
      await thenClose(entry, () => entry.sync());
    } catch (error) {
      await remove(key);
      throw error;
    }
  }

  async function remove(key: string): Promise<void> {
    await rm(partOf(key), { force: true });
    await rm(pathOf(key), { force: true });
  }

  return {
    write,
    remove,
    async read(key, from, to) {
      try {
        const file = await open(pathOf(key), 'r');
        return file.createReadStream({ start: from, end: to, highWaterMark: 262_144 });
      } catch (error) {
        if (noSuchFile(error)) return null;
        throw error;
      }
    },
  };
}

async function thenClose(file: FileHandle, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } finally {
    await file.close();
  }
}
