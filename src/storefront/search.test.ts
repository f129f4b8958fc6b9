import { beforeAll, describe, expect, it } from 'vitest';
import { useWorld } from '../../test/harness.ts';
import { buffersOf, statementsOf } from '../../test/statements.ts';
import type { InputError } from '../kernel/problem.ts';
import type { EventPart } from './contract.ts';

const world = useWorld();

interface Answer {
  data: EventPart[];
  nextCursor: string | null;
  total?: number;
}
const search = async (path: string): Promise<Answer> => (await world.call('GET', path)).json<Answer>();
const titles = async (path: string) =>
  (await search(`${path}${path.includes('?') ? '&' : '?'}fields=title`)).data.map(({ title }) => title);

interface Given {
  title: string;
  category?: string;
  description?: string;
  city?: string;
  state?: string;
  venue?: string;
  timezone?: string;
  start?: string;
  finish?: string;
}

async function publish(given: Given): Promise<void> {
  const write = async (path: string, body: object) => {
    const answer = await world.call('POST', path, { as: 'owner', body });
    if (answer.statusCode >= 300) throw new Error(answer.body);
    return answer.json<{ id: number }>().id;
  };
  const { title, category = 'music', description = '', city = 'Rio', state = 'RJ', venue = 'Hall', timezone = 'America/Sao_Paulo' } = given;
  const { start = '2026-05-01 20:00:00', finish = start.replace(' 20:', ' 23:') } = given;
  const id = await write('/event', {
    producerId: world.producer,
    title,
    category,
    description,
    timezone,
    venue: { name: venue, city, state },
  });
  await write(`/event/${id}/session`, { name: 'x', start, finish });
  await write(`/event/${id}/publish`, {});
}

beforeAll(async () => {
  await world.db.updateTable('event').set({ status: 'private' }).execute();
  for (const slug of ['theater', 'sports']) await world.call('POST', '/categories', { as: 'admin', body: { slug, name: slug } });
  await publish({ title: 'Noite de Samba', city: 'São Paulo', state: 'SP', start: '2026-05-03 20:00:00' });
  await publish({ title: 'Roda', description: '<p>Muito <b>sambá</b> e <i>choro</i></p>', start: '2026-05-01 20:00:00' });
  await publish({
    title: 'Hamlet',
    category: 'theater',
    venue: 'Teatro São João',
    city: 'Porto Alegre',
    state: 'RS',
    start: '2026-05-02 20:00:00',
  });
  await publish({ title: 'Final', category: 'sports', start: '2026-06-01 20:00:00' });
  await publish({ title: 'Rock/Pop: AC-DC cover', category: 'sports', start: '2026-06-02 20:00:00' });
  await publish({ title: 'Long•exhibition 🎉', category: 'theater', start: '2026-01-01 10:00:00', finish: '2026-12-31 20:00:00' });
  await publish({ title: 'Long past', start: '2025-01-01 20:00:00' });
  await publish({ title: 'In Kathmandu', timezone: 'Asia/Kathmandu', start: '2026-08-01 00:30:00', finish: '2026-08-01 05:00:00' });
});

describe('GET /event and GET /{category}', () => {
  it('return, without a term, the events that have not finished, sorted by date', async () => {
    expect(await titles('/event')).toEqual([
      'Long•exhibition 🎉',
      'Roda',
      'Hamlet',
      'Noite de Samba',
      'Final',
      'Rock/Pop: AC-DC cover',
      'In Kathmandu',
    ]);
  });

  it('find words in title, venue, city and description, and ignore case, accents and markup', async () => {
    expect(await titles('/event?term=sao paulo')).toEqual(['Noite de Samba']);
    expect(await titles('/event?term=S%C3%83O+PAULO')).toEqual(['Noite de Samba']);
    expect(await titles('/event?term=CHORO')).toEqual(['Roda']);
    expect(await titles('/event?term=teatro joao')).toEqual(['Hamlet']);
    expect(await titles('/event?term=hamlet porto')).toEqual(['Hamlet']);
    expect(await titles('/event?term=acdc')).toEqual([]);
    expect(await titles('/event?term=dc')).toEqual(['Rock/Pop: AC-DC cover']);
    expect(await titles('/event?term=pop')).toEqual(['Rock/Pop: AC-DC cover']);
    expect(await titles('/event?term=exhibition')).toEqual(['Long•exhibition 🎉']);
  });

  it('return events with the words in the title first', async () => {
    expect(await titles('/event?term=samba')).toEqual(['Noite de Samba', 'Roda']);
  });

  it('return events that have all words, and nothing for a term without words', async () => {
    expect(await titles('/event?term=noite samba')).toEqual(['Noite de Samba']);
    expect(await titles('/event?term=noite jazz')).toEqual([]);
    for (const term of ['%21%21%21', "'%26|:*", '%28']) expect(await titles(`/event?term=${term}`)).toEqual([]);
    expect((await titles('/event?term=%20')).length).toBe(7);
  });

  it('filter by state in any case, and by category in the path or the query', async () => {
    expect(await titles('/event?state=sp')).toEqual(['Noite de Samba']);
    expect(await titles('/theater')).toEqual(['Long•exhibition 🎉', 'Hamlet']);
    expect(await titles('/theater?state=RS&term=porto')).toEqual(['Hamlet']);
    expect(await titles('/event?category=sports')).toEqual(['Final', 'Rock/Pop: AC-DC cover']);
  });

  it('filter by from and to, as local time of each event or as an instant', async () => {
    expect(await titles('/event?from=2026-06-01&to=2026-06-01')).toEqual(['Long•exhibition 🎉', 'Final']);
    expect(await titles('/sports?from=2026-06-02')).toEqual(['Rock/Pop: AC-DC cover']);
    expect(await titles('/event?from=2026-08-01&to=2026-08-01 00:30:00')).toEqual(['Long•exhibition 🎉', 'In Kathmandu']);
    expect(await titles('/event?from=2026-08-01 05:00:00')).toEqual(['Long•exhibition 🎉']);
    expect(await titles('/event?to=2026-07-31')).not.toContain('In Kathmandu');
    expect(await titles('/event?to=2026-07-31T18:44:59Z')).not.toContain('In Kathmandu');
    expect(await titles('/event?to=2026-07-31T18:45:00Z')).toContain('In Kathmandu');
    expect(await titles('/event?from=2025-01-01&to=2025-12-31')).toEqual(['Long past']);
  });

  it('return each event once over all pages, with a total', async () => {
    for (const query of ['/event?count=true&pageSize=2', '/event?term=hall&count=true&pageSize=1', '/event?term=samba&pageSize=1']) {
      const whole = await search(query.replace(/pageSize=\d/, 'pageSize=200'));
      const found: (number | undefined)[] = [];
      let cursor: string | null = null;
      do {
        const page: Answer = await search(`${query}${cursor ? `&cursor=${cursor}` : ''}`);
        found.push(...page.data.map(({ id }) => id));
        cursor = page.nextCursor;
      } while (cursor);
      expect(found).toEqual(whole.data.map(({ id }) => id));
      expect(whole.total ?? found.length).toBe(found.length);
    }
  });

  it('return 400 for an invalid state, a date that does not exist, and an invalid cursor', async () => {
    const faults = [
      ['/event?state=SPX', 'state'],
      ['/music?from=yesterday', 'from'],
      ['/event?from=2026-02-30', 'from'],
      ['/event?to=2026-13-01', 'to'],
      ['/event?cursor=abc', 'cursor'],
      [`/event?cursor=${btoa('["a",1,2]')}`, 'cursor'],
      [`/event?cursor=${btoa(`[0,${Number.MAX_SAFE_INTEGER},1]`)}`, 'cursor'],
      [`/event?cursor=${btoa('[0,-8000000000000000,1]')}`, 'cursor'],
      ['/event?pageSize=0', 'pageSize'],
    ];
    for (const [path, field] of faults) {
      const answer = await world.call('GET', path ?? '');
      expect(answer.json<{ status: number; errors: InputError[] }>()).toMatchObject({ status: 400, errors: [{ in: 'query', field }] });
    }
  });

  it('find events by a term with many words', async () => {
    const many = 'one two three four five six seven eight nine ten eleven twelve thirteen fourteen';
    await publish({ title: 'Words', description: many });
    expect(await titles(`/event?term=${many.replaceAll(' ', '+')}`)).toEqual(['Words']);
    expect(await titles(`/event?term=${many.replaceAll(' ', '+')}+words`)).toEqual(['Words']);
    expect(await titles(`/event?term=${many.replaceAll(' ', '+')}+other`)).toEqual([]);
    expect(await search(`/event?term=${many.replaceAll(' ', '+')}+words&count=true`)).toMatchObject({ total: 1 });
    expect(await search('/event?term=!&count=true')).toMatchObject({ data: [], total: 0 });
  });

  it('return 404 for an unknown category', async () => {
    expect((await world.call('GET', '/event?category=nothing')).statusCode).toBe(404);
  });
});

describe('GET /event with many events', () => {
  /** Every title contains "evento", every tenth "jazz", and every thousandth "fado". */
  const insert = async (from: number, to: number): Promise<void> => {
    await world.pool.query(`
      insert into event_link (link, event_id) select 'many-' || n, nextval('event_id') from generate_series(${from}, ${to}) n`);
    await world.pool.query(`
      insert into event (id, producer_id, category_id, title, link, description, description_text, status, timezone, currency,
                         venue_name, venue_city, venue_state, created_at, updated_at, starts_at, finishes_at)
      select l.event_id, ${world.producer}, (select min(id) from category), 'Evento ' || case when n % 10 = 0 then 'jazz ' else '' end
             || case when n % 1000 = 0 then 'fado ' else '' end || n, l.link, '', 'texto comum ' || n, 'published', 'UTC', 'BRL',
             'Hall', 'Cidade ' || n % 50, chr(65 + n % 26) || 'A', now(), now(),
             timestamptz '2026-03-03' + n * interval '1 minute' - case when n % 2 = 0 then interval '400 days' else '0' end,
             timestamptz '2026-03-03' + n * interval '1 minute' - case when n % 2 = 0 then interval '400 days' else '0' end + interval '3 hours'
        from generate_series(${from}, ${to}) n join event_link l on l.link = 'many-' || n`);
    await world.pool.query(`
      insert into event_word (event_id, word, in_title, starts_at)
      select e.id, t.word, t.in_title, e.starts_at
        from generate_series(${from}, ${to}) n join event e on e.link = 'many-' || n
       cross join lateral (
         select unnest(words_of(e.title)) as word, true as in_title
         union all select unnest(words_of(concat_ws(' ', e.title, e.venue_name, e.venue_city, e.description_text))), false) t`);
    await world.pool.query('vacuum analyze event, event_word');
  };

  const pagesFor = async (path: string): Promise<number> => {
    const { result, statements } = await statementsOf(() => world.call('GET', path));
    expect(result.statusCode).toBe(200);
    let pages = 0;
    for (const statement of statements) pages += await buffersOf(world.pool, statement);
    return pages;
  };

  const paths = [
    '/event?fields=id',
    '/music?fields=id',
    '/event?fields=id&state=CA',
    '/music?fields=id&state=CA',
    '/event?fields=id&term=evento',
    '/event?fields=id&term=comum',
    '/event?fields=id&term=jazz',
    '/event?fields=id&term=nothing',
    '/event?fields=id&term=evento+jazz',
    '/event?fields=id&term=evento+comum',
    '/event?fields=id&from=2026-03-03',
    '/event?fields=id&pageSize=2',
    '/event?fields=id&pageSize=2&term=evento',
    `/event?fields=id&term=evento+${'abcdefghijklmnopqrstuvwxyz'.split('').join('+')}`,
  ];

  it('reads about as many database pages with 20,000 events as with 1,000', async () => {
    await insert(1, 1_000);
    const few: number[] = [];
    for (const path of paths) few.push(await pagesFor(path));
    await insert(1_001, 20_000);
    for (const [i, path] of paths.entries()) {
      // PostgreSQL reads 1,000 events faster as a whole than one by one. Then 25 events of 20,000 take up to 60 pages more.
      expect(await pagesFor(path), path).toBeLessThan(2 * (few[i] ?? 0) + 60);
    }
  });
});
