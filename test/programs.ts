import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
const packages = { etcd: 'etcd-server', patroni: 'patroni', haproxy: 'haproxy' };

/** Where Debian and Ubuntu install PostgreSQL, newest version first. */
const postgresFolders = ['18', '17', '16', '15'].map((version) => `/usr/lib/postgresql/${version}/bin`);

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The programs that the cluster needs, by name, and the folder of PostgreSQL's programs. */
export interface Programs {
  etcd: string;
  patroni: string;
  haproxy: string;
  postgresFolder: string;
}

/** Returns the path of a program, or undefined if it is not installed. */
export const findProgram = (name: string): string | undefined => folders.map((folder) => join(folder, name)).find(isExecutable);

/** Finds the programs of the cluster. Returns the Debian packages that are missing, if there are any. */
export function findPrograms(): { programs: Programs } | { missing: string[] } {
  const [etcd, patroni, haproxy] = [findProgram('etcd'), findProgram('patroni'), findProgram('haproxy')];
  const postgresFolder = postgresFolders.find((folder) => existsSync(join(folder, 'postgres')));
  if (etcd && patroni && haproxy && postgresFolder) return { programs: { etcd, patroni, haproxy, postgresFolder } };
  const missing = Object.entries(packages).flatMap(([name, debian]) => (findProgram(name) ? [] : [debian]));
  return { missing: postgresFolder ? missing : ['postgresql-15', ...missing] };
}
