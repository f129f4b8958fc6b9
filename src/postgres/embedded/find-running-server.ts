import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { runningServer, takeOwnership, tryConnect } from './orphaned-server.ts';
import { ownerLives } from './owner-file.ts';
import { socketUrl } from './server.ts';

/** The URL of the embedded server if a running Tessera process owns it, otherwise null. */
export async function findRunningServer(dataDir: string): Promise<string | null> {
  const path = join(dataDir, 'postgres');
  if (!existsSync(path)) return null;
  const cluster = realpathSync(path);
  const running = runningServer(cluster);
  const client = running && (await tryConnect(running.socketDir));
  if (!client) return null;
  const owned = ownerLives(cluster) || !(await takeOwnership(client));
  await client.end();
  return owned ? socketUrl(running.socketDir) : null;
}
