import { closeSync, copyFileSync, fchmodSync, fstatSync, ftruncateSync, openSync, renameSync, rmSync } from 'node:fs';

const maxBytes = 10 * 1024 * 1024;
const olderFiles = 3;
const checkMs = 10_000;

/** Opens the log that the server writes to. The log may contain personal data, so only the owner of the file can read it. */
export function openServerLog(file: string): number {
  const log = openSync(file, 'a', 0o600);
  // The log of an earlier release may be readable by everybody.
  fchmodSync(log, 0o600);
  return log;
}

/** Rotates the log whenever it is full, until the returned function is called. Older files have the endings `.1` (the newest), `.2` and so on. */
export function keepServerLogSmall(file: string, log: (line: string) => void): () => void {
  const check = () => {
    try {
      rotateServerLog(file);
    } catch (error) {
      // The service must keep running when the disk is full.
      log(`Cannot rotate ${file}: ${String(error)}`);
    }
  };
  check();
  const timer = setInterval(check, checkMs).unref();
  return () => clearInterval(timer);
}

/**
 * Copies a full log and truncates it. The log cannot be renamed, because the server keeps the file open and appends to it. Lines that the
 * server writes between the copy and the truncation are lost.
 */
export function rotateServerLog(file: string, bytes: number = maxBytes): void {
  const log = openServerLog(file);
  try {
    if (fstatSync(log).size < bytes) return;
    rmSync(`${file}.${olderFiles}`, { force: true });
    for (let n = olderFiles - 1; n >= 1; n--) renameIfThere(`${file}.${n}`, `${file}.${n + 1}`);
    copyFileSync(file, `${file}.1`);
    ftruncateSync(log);
  } finally {
    closeSync(log);
  }
}

function renameIfThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
