import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { canReach, databaseUser, type SystemUser } from './system-user.ts';

const run = promisify(execFile);

/** Root's clusters live here when the data folder is out of reach for the user who runs PostgreSQL. */
const sharedClusters = '/var/lib/tessera';

/** What PostgreSQL's programs see of our environment: nothing that could change what they do. */
export const cleanEnvironment = { PATH: process.env.PATH, TZ: 'UTC', LC_ALL: 'C' };

export interface Place {
  cluster: string;
  user: SystemUser | null;
}

/** Where the cluster is or will be. Below a folder that its user cannot enter, the path becomes a link to a place it can. */
export function placeCluster(path: string): Place {
  const known = lstatSync(path, { throwIfNoEntry: false });
  if (known?.isSymbolicLink() && !existsSync(path)) rmSync(path);
  const user = databaseUser(path);
  if (existsSync(path)) return { cluster: realpathSync(path), user };
  const parent = realpathSync(dirname(path));
  if (!user || canReach(user, parent)) return { cluster: join(parent, 'postgres'), user };
  mkdirSync(sharedClusters, { recursive: true });
  chmodSync(sharedClusters, 0o755);
  const elsewhere = join(sharedClusters, randomBytes(8).toString('hex'));
  symlinkSync(elsewhere, path);
  return { cluster: elsewhere, user };
}

/** Made aside and moved in one step: a cluster is whole or not there. */
export async function initialise({ cluster, user }: Place, programs: string, durable: boolean): Promise<void> {
  const draft = `${cluster}.draft-${process.pid}`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { mode: 0o700 });
  if (user) chownSync(draft, user.uid, user.gid);
  const options = [
    '--username=postgres',
    '--auth=trust',
    '--encoding=UTF8',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
  ];
  try {
    await run(join(programs, 'initdb'), [...options, ...(durable ? [] : ['--no-sync']), '-D', draft], {
      cwd: '/',
      env: cleanEnvironment,
      ...user,
    });
    renameSync(draft, cluster);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    // Another start on the same folder may have been quicker; the owner's lock decides between the two.
    if (!existsSync(join(cluster, 'PG_VERSION'))) throw error;
  }
}

/** A cluster can be read only by the major version that made it. */
export async function checkMajorVersion(cluster: string, programs: string): Promise<void> {
  const { stdout } = await run(join(programs, 'postgres'), ['--version']);
  const ours = /(\d+)/.exec(stdout)?.[1];
  const made = readFileSync(join(cluster, 'PG_VERSION'), 'utf8').trim();
  if (made === ours) return;
  throw new Error(
    `The data in ${cluster} was made by PostgreSQL ${made}, the programs in ${programs} are version ${ours}: dump and restore it, or use another DATA_DIR`,
  );
}
