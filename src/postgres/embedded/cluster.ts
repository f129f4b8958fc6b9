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

/** When started as root: clusters are stored here if the user who runs PostgreSQL cannot enter the data folder. */
const sharedClusters = '/var/lib/tessera';

/** The environment of PostgreSQL's programs, without variables that could change their behaviour. */
export const cleanEnvironment = { PATH: process.env.PATH, TZ: 'UTC', LC_ALL: 'C' };

export interface Place {
  cluster: string;
  user: SystemUser | null;
}

/**
 * Finds or chooses the folder of the cluster. If the user who runs PostgreSQL cannot enter the parent folder, the path becomes a symbolic
 * link to another folder.
 */
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

/** Creates the cluster in a draft folder and renames the folder, which is atomic. So an interrupted start leaves no incomplete cluster. */
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
    // Another process may have created the cluster first. The owner's lock decides which process uses the cluster.
    if (!existsSync(join(cluster, 'PG_VERSION'))) throw error;
  }
}

/** Throws if another major version of PostgreSQL created the cluster, because only that version can read it. */
export async function checkMajorVersion(cluster: string, programs: string): Promise<void> {
  const { stdout } = await run(join(programs, 'postgres'), ['--version']);
  const ours = /(\d+)/.exec(stdout)?.[1];
  const created = readFileSync(join(cluster, 'PG_VERSION'), 'utf8').trim();
  if (created === ours) return;
  throw new Error(
    `The data in ${cluster} was created by PostgreSQL ${created}, but the programs in ${programs} are version ${ours}. Dump and restore it, or set another DATA_DIR.`,
  );
}
