import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../config/read-setting.ts';
import { type Config, readSecretFile } from '../config.ts';
import { Secrets } from '../postgres/secrets.ts';

/** Encrypts and decrypts stored secrets with SECRET_KEY. Without it, the embedded database uses a key file that is created at the first start. */
export function secretsOf({ secretKey, secretKeyOld, databaseUrl, dataDir }: Config, old: readonly string[] = []): Secrets {
  const before = secretKeyOld === null ? old : [secretKeyOld, ...old];
  if (secretKey !== null) return new Secrets(secretKey, before);
  if (databaseUrl === null) return new Secrets(keyInFile(dataDir), before);
  throw new ConfigError(
    'SECRET_KEY is missing. It is required with DATABASE_URL, because it encrypts the signing keys in the database. ' +
      'Create a key with: openssl rand -base64 32. Use the same key for every process, and keep a copy apart from the backups of the database.',
  );
}

function keyInFile(dataDir: string): string {
  const file = join(dataDir, 'secret-key');
  if (!existsSync(file)) makeKey(dataDir, file);
  return readSecretFile('SECRET_KEY_FILE', file);
}

/**
 * Writes the key to a draft file and links the draft to the final name, which is atomic. So two processes that start at the same time read
 * the same complete key.
 */
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
