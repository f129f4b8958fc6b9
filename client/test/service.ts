import type { AddressInfo } from 'node:net';
import { beforeAll } from 'vitest';
import { useWorld, type World } from '../../test/harness.ts';
import type { Caller } from '../../test/world.ts';
import { type Client, type ClientOptions, createClient, type SentRequest } from '../src/index.ts';

export interface Service {
  world: World;
  /** Where it really listens, with `/v1`. */
  base: string;
  /** Everything the clients have sent, in order. */
  sent: SentRequest[];
  /** The newest request: method, path and query as they went over the wire. */
  wire(): string;
  as(caller: Caller, options?: Partial<ClientOptions>): Client;
  anyone(options?: Partial<ClientOptions>): Client;
}

/** The whole service behind a real socket, and clients for it. Call it once at the top of a test file. */
export function useService(): Service {
  const world = useWorld();
  const sent: SentRequest[] = [];
  const anyone = (options: Partial<ClientOptions> = {}): Client =>
    createClient({ environment: 'local', hosts: service.base, hooks: { onRequest: (request) => void sent.push(request) }, ...options });
  const service: Service = {
    world,
    base: '',
    sent,
    wire: () => {
      const { method, url } = sent.at(-1) ?? { method: 'nothing', url: '' };
      return `${method} ${decodeURIComponent(url.replace(service.base, ''))}`;
    },
    as: (caller, options) => anyone({ token: world.tokens[caller], ...options }),
    anyone,
  };
  beforeAll(async () => {
    await world.app.listen({ port: 0, host: '127.0.0.1' });
    service.base = `http://127.0.0.1:${(world.app.server.address() as AddressInfo).port}/v1`;
  });
  return service;
}
