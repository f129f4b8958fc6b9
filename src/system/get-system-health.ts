import type { Act } from '../kernel/act.ts';
import type { Providers } from '../payments/providers/open-providers.ts';
import type { Tx } from '../postgres/database.ts';
import { release } from '../postgres/migrations.ts';
import type { SystemHealth } from './contract.ts';
import { selectDatabase, selectHousekeeping, selectQueues, selectReplicas } from './health.sql.ts';

export interface Installation {
  testMoney: boolean;
  providers: Providers;
}

export async function getSystemHealth(tx: Tx, { at }: Act, { testMoney, providers }: Installation): Promise<SystemHealth> {
  const { version, in_recovery, bytes } = await selectDatabase(tx);
  const housekeeping = await selectHousekeeping(tx);
  return {
    release,
    node: process.version,
    database: { version, role: in_recovery ? 'replica' : 'primary', bytes, replicas: await selectReplicas(tx) },
    queues: (await selectQueues(tx, at)).map((queue) => ({ ...queue, oldest: queue.oldest?.toISOString() ?? null })),
    housekeeping: housekeeping.map(({ kind, removed, failures, last_done_at, last_failed_at, last_error }) => ({
      kind,
      removed,
      failures,
      lastDoneAt: last_done_at?.toISOString() ?? null,
      lastFailedAt: last_failed_at?.toISOString() ?? null,
      lastError: last_error,
    })),
    payments: {
      testMoney,
      methods: [...providers.methods.values()].map(({ method, provider, currencies }) => ({
        method,
        provider,
        currencies: currencies && [...currencies],
      })),
    },
  };
}
