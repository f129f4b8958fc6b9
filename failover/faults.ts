import { setTimeout as sleep } from 'node:timers/promises';
import type { TcpProxy } from '../test/silent-proxy.ts';
import type { Cluster } from './cluster.ts';

export interface Setting {
  cluster: Cluster;
  /** The proxy between the service and HAProxy. */
  proxy: TcpProxy;
}

export interface Fault {
  title: string;
  /** Whether the short run has it too. */
  quick?: true;
  /** Causes the fault. It ends by itself, or when the cluster is healed. */
  cause(setting: Setting): Promise<void> | void;
}

const standbyMs = 5_000;

export const faults: readonly Fault[] = [
  {
    title: 'planned switch-over',
    quick: true,
    cause: ({ cluster }) => cluster.switchOver(),
  },
  {
    title: 'PostgreSQL of the primary killed',
    quick: true,
    cause: ({ cluster }) => cluster.killPostgres(),
  },
  {
    title: 'node of the primary killed',
    cause: ({ cluster }) => cluster.killNode(),
  },
  {
    title: 'node of the primary silent: it runs but does not respond',
    cause: ({ cluster }) => cluster.silenceNode(),
  },
  {
    title: 'open connections silent: packets are dropped',
    quick: true,
    cause: ({ proxy }) => proxy.silenceOpen(),
  },
  {
    title: `connections led to a standby for ${standbyMs / 1_000} s`,
    async cause({ cluster, proxy }) {
      proxy.leadTo({ host: '127.0.0.1', port: cluster.ports.standbys });
      await sleep(standbyMs);
      proxy.leadTo({ host: '127.0.0.1', port: cluster.ports.primary });
    },
  },
];
