import { closeSync, copyFileSync, fchmodSync, fstatSync, ftruncateSync, openSync, renameSync, rmSync } from 'node:fs';

const mostBytes = 10 * 1024 * 1024;
const olderFiles = 3;
const checkMs = 10_000;

/** Opens the server's log for it to write to. The log may name people and their data, so only its owner reads it. */
export function openServerLog(file: string): number {
  const log = openSync(file, 'a', 0o600);
  // A log of an earlier release may be open to all.
  fchmodSync(log, 0o600);
  return log;
}

/** Keeps the log and its older files (`.1` is the newest) below a bound, until the returned function is called. */
export function keepServerLogSmall(file: string, log: (line: string) => void): () => void {
  const check = () => {
    try {
      rotateServerLog(file);
    } catch (error) {
      // A full disk is no reason to end the service.
      log(`${file} cannot be rotated: ${String(error)}`);
    }
  };
  check();
  const timer = setInterval(check, checkMs).unref();
  return () => clearInterval(timer);
}

/**
 * Copies a full log aside and empties it. It is not renamed: the server keeps the file open and appends to it. Lines that are written
 * between copy and truncation are lost.
 */
export function rotateServerLog(file: string, bytes: number = mostBytes): void {
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
