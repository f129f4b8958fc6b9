import { type Connections, isStandby } from '../postgres/database.ts';
import { selectOwnLag, selectStandbyLags } from '../postgres/replication-lag.ts';
import type { GaugeSource } from './metrics.ts';

/** The pools, the listener, and the role and lag of the servers. */
export function databaseMetrics({ db, readDb, state }: Pick<Connections, 'db' | 'readDb' | 'state'>): GaugeSource[] {
  const ofPools = (name: string, help: string, value: 'used' | 'waiting' | 'max'): GaugeSource => ({
    name,
    help,
    label: 'pool',
    read: async () => state().pools.map((pool) => [pool.name, pool[value]] as const),
  });
  const servers = readDb === db ? { primary: db } : { primary: db, replica: readDb };
  return [
    ofPools('tessera_pool_used', 'Database connections in use', 'used'),
    ofPools('tessera_pool_waiting', 'Requests that wait for a database connection', 'waiting'),
    ofPools('tessera_pool_max', 'The maximum number of database connections', 'max'),
    {
      name: 'tessera_listener_connected',
      help: 'Whether the process hears the changes of other processes (1) or not (0)',
      label: 'channel',
      read: async () => state().listeners.map(({ channel, connected }) => [channel, connected ? 1 : 0] as const),
    },
    {
      name: 'tessera_database_standby',
      help: 'Whether the server is a standby (1) or the primary (0), by its purpose',
      label: 'server',
      read: () => Promise.all(Object.entries(servers).map(async ([name, each]) => [name, (await isStandby(each)) ? 1 : 0] as const)),
    },
    {
      name: 'tessera_replication_lag_seconds',
      help: 'How late the standbys of the primary, and the replica of this process, are',
      label: 'server',
      read: async () => {
        const standbys = (await selectStandbyLags(db)).map(({ server, seconds }) => [server, seconds] as const);
        return readDb === db ? standbys : [...standbys, ['replica of this process', await selectOwnLag(readDb)] as const];
      },
    },
  ];
}
