import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
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

/**
 * Stores files in a folder. A file is written and synced under a temporary name and then renamed, so that readers never see an incomplete
 * file. Each write has its own temporary name, because two requests may store the same content at the same time.
 */
export function diskFiles(root: string): Files {
  const pathOf = (key: string): string => join(root, requireKey(key));
  const parts = join(root, 'parts');

  async function write(key: string, _mediaType: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const folder = dirname(pathOf(key));
    const path = join(parts, partPrefixOf(key) + randomUUID());
    try {
      for (const each of [folder, parts]) await mkdir(each, { recursive: true, mode: 0o700 }).catch(explain);
      const part = await open(path, 'w', 0o600).catch(explain);
      await thenClose(part, async () => {
        for await (const chunk of bytes) await part.writeFile(chunk).catch(explain);
        await part.sync().catch(explain);
      });
      await rename(path, pathOf(key));
      const entry = await open(folder, 'r');
      await thenClose(entry, () => entry.sync());
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    }
  }

  /** The temporary names of writes that are in progress, or were interrupted. */
  async function partNames(): Promise<string[]> {
    return readdir(parts).catch((error: unknown) => {
      if (noSuchFile(error)) return [];
      throw error;
    });
  }

  async function remove(key: string): Promise<void> {
    for (const part of await partNames()) if (part.startsWith(partPrefixOf(key))) await rm(join(parts, part), { force: true });
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

/** Keys contain no underscore, so no prefix is the beginning of another one. */
const partPrefixOf = (key: string): string => `${key.replaceAll('/', '_')}__`;

async function thenClose(file: FileHandle, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } finally {
    await file.close();
  }
}
