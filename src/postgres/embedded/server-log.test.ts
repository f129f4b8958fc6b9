import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import { eventually } from '../../../test/eventually.ts';
import { type EmbeddedServer, startEmbedded } from './server.ts';
import { rotateServerLog } from './server-log.ts';

const folders: string[] = [];
const servers: EmbeddedServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-log-'));
  // When the tests run as root, PostgreSQL runs as another user, who must be able to enter the folder.
  chmodSync(folder, 0o755);
  folders.push(folder);
  return folder;
}

const modeOf = (file: string): number => statSync(file).mode & 0o777;

describe('data/postgres.log', () => {
  it('contains no statements, parameters or rows, and only its owner can read it', { timeout: 120_000 }, async () => {
    const dataDir = newFolder();
    const file = join(dataDir, 'postgres.log');
    writeFileSync(file, 'of an earlier release\n', { mode: 0o644 });
    const onLost = (error: unknown) => {
      throw error;
    };
    const server = await startEmbedded({ dataDir, durable: false, log: () => undefined, onLost });
    servers.push(server);
    expect(modeOf(file)).toBe(0o600);

    const client = new pg.Client({ connectionString: server.url });
    client.on('error', () => undefined);
    await client.connect();
    await client.query('create table person (email text primary key)');
    const add = () => client.query('insert into person values ($1)', ['secret-ana@example.com']);
    await add();
    await expect(add()).rejects.toThrow('duplicate key');
    await expect(client.query('select $1::text::bigint', ['secret-ana@example.com'])).rejects.toThrow('secret-ana@example.com');
    await expect(client.query(`select 'secret-ana@example.com' from nowhere`)).rejects.toThrow('nowhere');
    await client.end();

    // A session without our connection options, such as psql, does not log statements or rows either.
    const guest = new pg.Client({ connectionString: server.url.replace(/&options=.*/, '') });
    await guest.connect();
    await expect(guest.query('insert into person values ($1)', ['secret-ana@example.com'])).rejects.toThrow('duplicate key');
    await guest.end();

    // The server may write its log after it responds, so wait for the line of the last error.
    const text = await eventually('the log has the error of the guest', () => {
      const found = readFileSync(file, 'utf8');
      return found.includes('duplicate key value') && found;
    });
    expect(text).not.toContain('secret-ana');
    expect(text.match(/duplicate key value/g)).toHaveLength(1);
  });

  it('is rotated when it is full, and three older files are kept that only the owner can read', () => {
    const folder = newFolder();
    const file = join(folder, 'postgres.log');
    for (let n = 1; n <= 6; n++) {
      writeFileSync(file, `log ${n}`, { flag: 'a', mode: 0o644 });
      rotateServerLog(file, 5);
    }
    expect(readdirSync(folder).toSorted()).toEqual(['postgres.log', 'postgres.log.1', 'postgres.log.2', 'postgres.log.3']);
    expect(['', '.1', '.2', '.3'].map((end) => readFileSync(file + end, 'utf8'))).toEqual(['', 'log 6', 'log 5', 'log 4']);
    expect(['', '.1', '.2', '.3'].map((end) => modeOf(file + end))).toEqual([0o600, 0o600, 0o600, 0o600]);
  });

  it('is not rotated while it is small', () => {
    const file = join(newFolder(), 'postgres.log');
    writeFileSync(file, 'short');
    rotateServerLog(file);
    expect([readFileSync(file, 'utf8'), existsSync(`${file}.1`)]).toEqual(['short', false]);
  });
});
