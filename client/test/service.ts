import type { AddressInfo } from 'node:net';
import { beforeAll } from 'vitest';
import { useWorld, type World } from '../../test/harness.ts';
import type { Caller } from '../../test/world.ts';
import { type Client, type ClientOptions, createClient, type SentRequest } from '../src/index.ts';

export interface Service {
  world: World;
  /** The base URL of the service, including `/v1`. */
  base: string;
  /** All requests of the clients, in order. */
  sent: SentRequest[];
  /** Method, path and query of the last request. */
  lastRequest(): string;
  as(caller: Caller, options?: Partial<ClientOptions>): Client;
  anyone(options?: Partial<ClientOptions>): Client;
}

/** Starts the whole service on a TCP port, and creates clients for it. Call it once at the top of a test file. */
export function useService(environment: Record<string, string> = {}): Service {
  const world = useWorld(environment);
  const sent: SentRequest[] = [];
  const anyone = (options: Partial<ClientOptions> = {}): Client =>
    createClient({ environment: 'local', hosts: service.base, hooks: { onRequest: (request) => void sent.push(request) }, ...options });
  const service: Service = {
    world,
    base: '',
    sent,
    lastRequest: () => {
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
