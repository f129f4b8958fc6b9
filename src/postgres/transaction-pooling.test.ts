import type pg from 'pg';
import { describe, expect, it } from 'vitest';
import { poolsTransactions } from './transaction-pooling.ts';

/** A pooler in memory. Each connection gets a session for a transaction, or for as long as it is open. */
function poolerOf(mode: 'transaction' | 'session', sessions: number[]): pg.Pool {
  const free = [...sessions];
  function connect() {
    let own: number | undefined;
    const client = {
      async query(query: string | { text: string }) {
        own ??= free.pop();
        const id = own;
        const isTransaction = query === 'begin';
        if (mode === 'transaction' && !isTransaction && !client.inTransaction) {
          free.push(own ?? 0);
          own = undefined;
        }
        client.inTransaction ||= isTransaction;
        return { rows: [{ id }] };
      },
      inTransaction: false,
      release: () => undefined,
    };
    return Promise.resolve(client);
  }
  return { connect } as unknown as pg.Pool;
}

describe('poolsTransactions', () => {
  it('detects that connections share sessions', async () => {
    expect(await poolsTransactions(poolerOf('transaction', [11, 12, 13, 14]))).toBe(true);
    expect(await poolsTransactions(poolerOf('transaction', [11]))).toBe(true);
  });

  it('accepts a pooler that gives each connection its own session', async () => {
    expect(await poolsTransactions(poolerOf('session', [11, 12, 13, 14]))).toBe(false);
  });
});
