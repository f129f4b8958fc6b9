import pg from 'pg';

/** Unit tests run without PostgreSQL. So every attempt to connect fails, even on a machine that has a PostgreSQL server. */
pg.Client.prototype.connect = () => {
  throw new Error('A unit test must not connect to a database. Import test/harness.ts or test/process.ts to get one.');
};
