import { expect, inject, it } from 'vitest';
import { connect } from '../src/postgres/database.ts';
import { testSecrets } from './secret-key.ts';

it('a unit test fails when it opens a database connection', async () => {
  const { pool } = connect({ url: 'postgresql://localhost/tessera', secrets: testSecrets, onError: () => undefined });
  await expect(pool.connect()).rejects.toThrow('A unit test must not connect to a database');
});

it('a unit test cannot reach a database server, even if other projects use one in the same run', () => {
  expect(inject('serverUrl')).toBeUndefined();
});
