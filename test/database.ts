import { randomBytes } from 'node:crypto';
import pg from 'pg';

interface OwnDatabase {
  url: string;
  drop(): Promise<void>;
}

/** Creates a database on the server of this URL. It is empty, or a copy of `template`. */
export async function createDatabaseOn(serverUrl: string, template = 'template1'): Promise<OwnDatabase> {
  const name = `tessera_${randomBytes(6).toString('hex')}`;
  const run = async (statement: string): Promise<void> => {
    const client = new pg.Client({ connectionString: serverUrl });
    await client.connect();
    try {
      await client.query(statement);
    } finally {
      await client.end();
    }
  };
  await run(`create database ${name} template ${template}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => run(`drop database ${name} with (force)`) };
}
