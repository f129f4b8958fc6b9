import { closeSync, existsSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs';

/**
 * An append-only file with one JSON value per line. A line is written before the response is sent, so a killed process loses nothing that
 * it has acknowledged. The last line may be incomplete after a kill and is then removed.
 */
export class Journal {
  readonly lines: unknown[] = [];
  readonly #file: number;

  constructor(path: string) {
    if (existsSync(path)) this.#read(path);
    this.#file = openSync(path, 'a');
  }

  #read(path: string): void {
    const bytes = readFileSync(path);
    const end = bytes.lastIndexOf('\n') + 1;
    if (end < bytes.length) truncateSync(path, end);
    for (const line of bytes.subarray(0, end).toString('utf8').split('\n')) if (line) this.lines.push(JSON.parse(line));
  }

  append(value: unknown): void {
    writeSync(this.#file, `${JSON.stringify(value)}\n`);
  }

  close(): void {
    closeSync(this.#file);
  }
}
