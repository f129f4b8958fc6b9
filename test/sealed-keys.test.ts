import { readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { people } from '../src/demo/people.ts';
import { type DataFolder } from './process.ts';
import { testSecretKey } from './secret-key.ts';
import { useProcesses } from './use-processes.ts';

const { demoDataFolder, newDataFolder } = useProcesses();

const keyFile = (folder: DataFolder) => join(folder.dataDir, 'secret-key');
const wrongKey =
  /^SECRET_KEY \(or DATA_DIR\/secret-key\) does not decrypt the keys .* tessera keys reseal.* tessera keys revoke --tickets\n$/;

describe('SECRET_KEY', () => {
  it('is created once for the embedded database, in a file that only its owner can read', async () => {
    const folder = demoDataFolder();
    const made = readFileSync(keyFile(folder), 'utf8');
    expect(Buffer.from(made.trim(), 'base64')).toHaveLength(32);
    expect(statSync(keyFile(folder)).mode & 0o777).toBe(0o600);
    expect((await folder.run(['keys', 'rotate'])).code).toBe(0);
    expect(readFileSync(keyFile(folder), 'utf8')).toBe(made);
  });

  it('is required with DATABASE_URL, and the message says how to create one', async () => {
    const environment = { DATABASE_URL: 'postgresql://localhost:1/tessera' };
    const { code, stderr } = await newDataFolder().run(['serve'], { environment });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^SECRET_KEY is missing\. .*openssl rand -base64 32/);
  });

  it('prevents the start when it is wrong, and can be replaced with keys reseal', async () => {
    const folder = demoDataFolder();
    const environment = { SECRET_KEY: testSecretKey };
    const refused = await folder.run(['serve'], { environment });
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toMatch(wrongKey);
    expect((await folder.run(['keys', 'reseal'], { environment })).stderr).toContain('SECRET_KEY_OLD');

    const service = await folder.serve();
    const { token } = await service.logIn(people.admin.email);
    await service.end('SIGTERM');
    renameSync(keyFile(folder), `${keyFile(folder)}.old`);
    const resealed = await folder.run(['keys', 'reseal', '--old-file', `${keyFile(folder)}.old`], { environment });
    expect(resealed).toMatchObject({ code: 0, stderr: '' });
    expect(resealed.stdout).toMatch(/^Encrypted 1 signing keys, \d+ authenticator keys, \d+ ticket keys and the secrets of \d+ webhooks/);

    const again = await folder.serve(environment);
    expect(await again.status('/v1/auth/me', token)).toBe(200);
    expect((await again.logIn(people.admin.email)).status).toBe(200);
  });

  it('can be replaced after a loss: keys revoke --tickets creates new signing keys with a new SECRET_KEY', async () => {
    const folder = demoDataFolder();
    const service = await folder.serve();
    const { token } = await service.logIn(people.admin.email);
    await service.end('SIGTERM');
    renameSync(keyFile(folder), `${keyFile(folder)}.lost`);
    expect((await folder.run(['migrate'])).stderr).toMatch(wrongKey);
    const revoked = await folder.run(['keys', 'revoke', '--tickets']);
    expect(revoked).toMatchObject({ code: 0, stderr: '' });
    expect(revoked.stdout).toMatch(/^New signing key: \S+\. .* 1 sessions and 0 API tokens ended\.\n\d+ events have a new ticket key/);

    const again = await folder.serve();
    expect(await again.status('/v1/auth/me', token)).toBe(401);
    expect((await again.logIn(people.admin.email)).status).toBe(200);
  });
});
