import { describe, expect, it } from 'vitest';
import { type ClientOptions, createClient } from '../src/index.ts';

/** The address that reading an event (event group) and an item (ticket group) go to. */
async function addresses(options: ClientOptions): Promise<string[]> {
  const asked: string[] = [];
  const answer = async (url: string) => {
    asked.push(url);
    return Response.json({});
  };
  const client = createClient({ ...options, fetch: answer });
  await client.events.get({ id: 1 });
  await client.items.get({ id: 1 });
  return asked;
}

describe('where the service is', () => {
  it.each(['stg', 'hmla', 'hmlb', 'sandbox', 'integration'] as const)('%s: a host for each group below the domain', async (environment) => {
    expect(await addresses({ environment, hosts: { domain: 'tickets.example' } })).toEqual([
      `https://${environment}-event.tickets.example/v1/event/1`,
      `https://${environment}-ticket.tickets.example/v1/items/1`,
    ]);
  });

  it('production has no prefix, and is meant when no environment is named', async () => {
    const expected = ['https://event.tickets.example/v1/event/1', 'https://ticket.tickets.example/v1/items/1'];
    expect(await addresses({ environment: 'production', hosts: { domain: 'tickets.example' } })).toEqual(expected);
    expect(await addresses({ hosts: { domain: 'tickets.example' } })).toEqual(expected);
  });

  it('local is this machine', async () => {
    expect(await addresses({ environment: 'local' })).toEqual(['http://127.0.0.1:3000/v1/event/1', 'http://127.0.0.1:3000/v1/items/1']);
  });

  it('one address for everything', async () => {
    expect(await addresses({ hosts: 'https://api.example/v1/' })).toEqual([
      'https://api.example/v1/event/1',
      'https://api.example/v1/items/1',
    ]);
  });

  it('an address for each group, and one for the others', async () => {
    const hosts = { event: 'https://e.example/v1', default: 'https://rest.example/v1' };
    expect(await addresses({ hosts })).toEqual(['https://e.example/v1/event/1', 'https://rest.example/v1/items/1']);
  });

  it('what cannot be found is said at once', async () => {
    expect(() => createClient({ environment: 'sandbox' } as never)).toThrow('hosts is needed: where is sandbox?');
    expect(() => createClient({ environment: 'moon', hosts: 'x' } as never)).toThrow('environment is one of production, stg');
    await expect(addresses({ hosts: { event: 'https://e.example/v1' } })).rejects.toThrow('no address for the group ticket');
  });
});
