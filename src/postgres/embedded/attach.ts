import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { runningServer, takeOwnership, tryConnect } from './leftover.ts';
import { socketUrl } from './server.ts';

/** The address of the embedded server that a running Tessera owns; null when none does. */
export async function attachEmbedded(dataDir: string): Promise<string | null> {
  const path = join(dataDir, 'postgres');
  const running = existsSync(path) ? runningServer(realpathSync(path)) : null;
  const client = running && (await tryConnect(running.socketDir));
  if (!client) return null;
  const orphan = await takeOwnership(client);
  await client.end();
  return orphan ? null : socketUrl(running.socketDir);
}
