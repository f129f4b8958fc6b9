import { describe, expect, it } from 'vitest';
import { eventRequests } from '../../test/event-requests.ts';
import { useWorld } from '../../test/harness.ts';
import { statementsOf } from '../../test/statements.ts';

const world = useWorld();
const { put, published } = eventRequests(world);

const venue = { name: 'Hall', city: 'Rio' };

/** The words of the event, and the times that are stored with them. Words of the title have a star. */
async function wordsOf(eventId: number): Promise<{ words: string; startsAt: string[] }> {
  const rows = await world.db
    .selectFrom('event_word')
    .selectAll()
    .where('event_id', '=', eventId)
    .orderBy('word')
    .orderBy('in_title')
    .execute();
  return {
    words: rows.map(({ word, in_title }) => (in_title ? `${word}*` : word)).join(' '),
    startsAt: [...new Set(rows.map(({ starts_at }) => starts_at.toISOString()))],
  };
}

const send = async (path: string, body: object) =>
  expect((await world.call('POST', path, { as: 'owner', body })).statusCode).toBeLessThan(300);

describe('the words of the search', () => {
  it('are stored for published events, with the start of the event', async () => {
    const id = await published('Grande Noite', { description: '<p>com Banda</p>', venue });
    const stored = { words: 'banda com grande grande* hall noite noite* rio', startsAt: ['2026-07-01T23:00:00.000Z'] };
    expect(await wordsOf(id)).toEqual(stored);
    await send(`/event/${id}/unpublish`, {});
    expect(await wordsOf(id)).toEqual({ words: '', startsAt: [] });
    await send(`/event/${id}/publish`, { private: true });
    expect(await wordsOf(id)).toEqual({ words: '', startsAt: [] });
    await send(`/event/${id}/publish`, {});
    expect(await wordsOf(id)).toEqual(stored);
  });

  it('change with the texts and the first session of the event', async () => {
    const id = await published('Antes', { venue });
    expect((await put(id, { title: 'Depois', venue: { name: 'Arena', city: 'Natal' } })).statusCode).toBe(200);
    expect((await wordsOf(id)).words).toBe('arena depois depois* natal');
    await send(`/event/${id}/session`, { name: 'Early', start: '2026-06-01 20:00:00', finish: '2026-06-01 22:00:00' });
    expect((await wordsOf(id)).startsAt).toEqual(['2026-06-01T23:00:00.000Z']);
  });

  it('are not written again by other changes', async () => {
    const id = await published('Igual', { venue });
    const writes = async (body: object) => {
      const { statements } = await statementsOf(() => put(id, body));
      return statements.filter(({ text }) => text.includes('event_word')).length;
    };
    expect(await writes({ poster: 'https://images.test/b.jpg', title: 'Igual', venue })).toBe(0);
    expect(await writes({ title: 'Outro' })).toBe(2);
  });
});
