import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { people } from '../src/demo/people.ts';
import { eventually } from './eventually.ts';
import type { DataFolder, Service } from './process.ts';
import { useProcesses } from './use-processes.ts';

const { demoDataFolder } = useProcesses();
const orders = 20_000;

/** Starts only the API. The test starts and kills the workers itself. */
const withoutWorker = { SERVE: 'event,ticket,shop,door,account' };

interface Facts {
  status: string;
  attempt: number;
  rows: number;
  sha256: string | null;
  mails: number;
}

const factsOf = async (folder: DataFolder, id: number): Promise<Facts> => {
  const [facts] = await folder.query<Facts & Record<string, unknown>>(
    `select status, attempt, rows::int, encode(sha256, 'hex') as sha256,
            (select count(*)::int from mail where dedupe_key like 'export/${id}/%') as mails from export where id = ${id}`,
  );
  if (!facts) throw new Error('There is no such export');
  return facts;
};

const filesOf = ({ dataDir }: DataFolder, name: 'exports' | 'parts' = 'exports'): string[] => {
  const folder = join(dataDir, 'files', name);
  return existsSync(folder) ? readdirSync(folder).toSorted() : [];
};

/** Requests an export with many orders, so that the worker can be killed while it runs. Returns the id of the export. */
async function requestLargeExport(folder: DataFolder, service: Service): Promise<number> {
  await folder.query(`
    with o as (
      insert into ticket_order (event_id, id, status, app_category_id, buyer_name, buyer_email, total, currency, secret_hash, created_at, expires_at,
                                approved_at)
      select 1, nextval('ticket_order_id'), 'approved', 1, 'Ana', 'ana@test.test', 0, 'BRL', '', now(), now(), now()
        from generate_series(1, ${orders}) returning id)
    insert into order_line (event_id, order_id, item_id, session_ids, quantity, price, fee_sale, fee_producer, unlocked)
    select 1, id, (select min(id) from item where event_id = 1), '{}', 1, 0, 0, 0, false from o`);
  return requestExport(service, { format: 'xlsx', filters: [{ name: 'term', value: 'ana' }] });
}

async function requestExport(service: Service, body: object): Promise<number> {
  const { token } = await service.logIn(people.producer.email);
  const asked = await service.call('POST', '/v1/event/1/export', { token, body });
  expect(asked.status).toBe(202);
  return (asked.body as { id: number }).id;
}

describe('an export whose worker is killed', () => {
  it('is restarted by another worker and produces one file and one mail; control: no worker runs an export that is locked', async () => {
    const folder = demoDataFolder();
    const service = await folder.serve(withoutWorker);
    const id = await requestLargeExport(folder, service);
    const first = folder.start(['worker']);
    await eventually('the file is being written', () => filesOf(folder, 'parts').some((part) => part.startsWith(`exports_${id}-1.xlsx__`)));
    first.kill('SIGKILL');
    await first.ended;
    expect(await factsOf(folder, id)).toMatchObject({ status: 'running', attempt: 1, mails: 0 });

    // Control: while a session holds the lock, no worker starts the export. Workers process exports in the order of their ids. So once the
    // later export is ready, the worker has skipped the locked one.
    const other = await folder.connect();
    await other.query(`select pg_advisory_lock(7355774, ${id})`);
    const second = folder.start(['worker']);
    await eventually('the worker runs', () => second.stdout().includes('running'));
    const later = await requestExport(service, { type: 'passkey' });
    await eventually('the later export is ready', async () => (await factsOf(folder, later)).status === 'ready');
    expect(await factsOf(folder, id)).toMatchObject({ status: 'running', attempt: 1 });
    await other.end();

    const made = await eventually('the export is ready', async () => {
      const facts = await factsOf(folder, id);
      return facts.status === 'ready' && facts;
    });
    expect(made).toMatchObject({ attempt: 2, rows: orders, mails: 1 });
    expect(filesOf(folder)).toEqual([`${id}-2.xlsx`, `${later}-1.csv`].toSorted());
    expect(filesOf(folder, 'parts')).toEqual([]);
    const file = readFileSync(join(folder.dataDir, 'files/exports', `${id}-2.xlsx`));
    expect(createHash('sha256').update(file).digest('hex')).toBe(made.sha256);
    await service.end('SIGTERM');
  });
});
