import pg from 'pg';

/** The unit tests run without PostgreSQL. A connection fails here even on a machine that happens to have a server. */
pg.Client.prototype.connect = () => {
  throw new Error('A unit test must not connect to a database. Import test/harness.ts or test/process.ts to get one.');
};
