import { readFileSync, statSync } from 'node:fs';

/** PostgreSQL refuses to run as root. If Tessera runs as root, PostgreSQL runs as the first of these users that exists. */
const unprivilegedUsers = ['tessera', 'postgres', 'nobody'];

export interface SystemUser {
  uid: number;
  gid: number;
}

/** The user to run PostgreSQL as. Null means the current user. For an existing cluster, the user is the owner of its files. */
export function databaseUser(cluster: string): SystemUser | null {
  if (process.getuid?.() !== 0) return null;
  const owner = statSync(cluster, { throwIfNoEntry: false });
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const users = new Map(
    readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .map((entry) => entry.split(':'))
      .map(([name, , uid, gid]) => [name, { uid: Number(uid), gid: Number(gid) }]),
  );
  for (const name of unprivilegedUsers) {
    const user = users.get(name);
    if (user && user.uid !== 0) return user;
  }
  throw new Error(
    `PostgreSQL cannot run as root, and none of the users ${unprivilegedUsers.join(', ')} exists. Run Tessera as an ordinary user.`,
  );
}

/** Whether `user` can enter every parent folder of `path` and read it. */
export function canReach(user: SystemUser, path: string): boolean {
  const parts = path.split('/').filter(Boolean);
  return parts.every((_, i) => {
    const entry = statSync(`/${parts.slice(0, i + 1).join('/')}`);
    const wanted = entry.isDirectory() ? 0o5 : 0o4;
    const shift = entry.uid === user.uid ? 6 : entry.gid === user.gid ? 3 : 0;
    return ((entry.mode >> shift) & wanted) === wanted;
  });
}
