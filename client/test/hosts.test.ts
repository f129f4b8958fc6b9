import { describe, expect, it } from 'vitest';
import { type ClientOptions, createClient } from '../src/index.ts';

/** Returns the URLs that the client requests for an event (event group) and for an item (ticket group). */
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

describe('base URLs', () => {
  it.each(['stg', 'hmla', 'hmlb', 'sandbox', 'integration'] as const)(
    '{ domain } in the environment %s gives one host per group, with the environment as prefix',
    async (environment) => {
      expect(await addresses({ environment, hosts: { domain: 'tickets.example' } })).toEqual([
        `https://${environment}-event.tickets.example/v1/event/1`,
        `https://${environment}-ticket.tickets.example/v1/items/1`,
      ]);
    },
  );

  it('{ domain } in production, the default environment, gives hosts without a prefix', async () => {
    const expected = ['https://event.tickets.example/v1/event/1', 'https://ticket.tickets.example/v1/items/1'];
    expect(await addresses({ environment: 'production', hosts: { domain: 'tickets.example' } })).toEqual(expected);
    expect(await addresses({ hosts: { domain: 'tickets.example' } })).toEqual(expected);
  });

  it('the environment local uses 127.0.0.1:3000 by default', async () => {
    expect(await addresses({ environment: 'local' })).toEqual(['http://127.0.0.1:3000/v1/event/1', 'http://127.0.0.1:3000/v1/items/1']);
  });

  it('a string is the base URL of all groups', async () => {
    expect(await addresses({ hosts: 'https://api.example/v1/' })).toEqual([
      'https://api.example/v1/event/1',
      'https://api.example/v1/items/1',
    ]);
  });

  it('an object has a base URL per group, and a default for the other groups', async () => {
    const hosts = { event: 'https://e.example/v1', default: 'https://rest.example/v1' };
    expect(await addresses({ hosts })).toEqual(['https://e.example/v1/event/1', 'https://rest.example/v1/items/1']);
  });

  it('missing hosts, an unknown environment and a group without a base URL throw a TypeError', async () => {
    expect(() => createClient({ environment: 'sandbox' } as never)).toThrow('hosts is required for the environment sandbox');
    expect(() => createClient({ environment: 'moon', hosts: 'x' } as never)).toThrow('environment must be one of production, stg');
    await expect(addresses({ hosts: { event: 'https://e.example/v1' } })).rejects.toThrow('no base URL for the group ticket');
  });
});
