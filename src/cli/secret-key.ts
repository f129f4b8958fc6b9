import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, ConfigError, readSecretFile } from '../config.ts';
import { Secrets } from '../postgres/secrets.ts';

/** What SECRET_KEY opens. The embedded database has a key of its own in the data folder, made at its first start. */
export function secretsOf({ secretKey, secretKeyOld, databaseUrl, dataDir }: Config, old: readonly string[] = []): Secrets {
  const before = secretKeyOld === null ? old : [secretKeyOld, ...old];
  if (secretKey !== null) return new Secrets(secretKey, before);
  if (databaseUrl === null) return new Secrets(keptKey(dataDir), before);
  throw new ConfigError(
    'SECRET_KEY is missing. With DATABASE_URL it is needed: it seals the signing keys in the database. ' +
      'Make one with: openssl rand -base64 32. Give the same one to every process, and keep a copy apart from the backups of the database',
  );
}

function keptKey(dataDir: string): string {
  const file = join(dataDir, 'secret-key');
  if (!existsSync(file)) makeKey(dataDir, file);
  return readSecretFile('SECRET_KEY_FILE', file);
}

/** Written aside and linked in one step: of two that start at once, both read the same whole key. */
function makeKey(dataDir: string, file: string): void {
  mkdirSync(dataDir, { recursive: true });
  const draft = `${file}.draft-${process.pid}`;
  writeFileSync(draft, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600 });
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}
