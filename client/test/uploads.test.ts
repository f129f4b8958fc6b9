import { openAsBlob, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Progress } from '../src/index.ts';
import { hangUp, json, useScriptedServer } from './scripted-server.ts';
import { useService } from './service.ts';

const service = useService();
const server = useScriptedServer();
const { world } = service;

const csvOf = (name: string, rows: number): string =>
  `code,item\n${Array.from({ length: rows }, (_, i) => `${name}-${String(i).padStart(6, '0')},${name}\n`).join('')}`;

afterEach(() => {
  vi.unstubAllGlobals();
});

describe('an upload', () => {
  it('sends a file from disk without reading it into memory', async () => {
    const path = join(tmpdir(), `tessera-codes-${process.pid}.csv`);
    writeFileSync(path, csvOf('Disk', 1000));
    const { imported } = await service.as('owner').codes.upload({ eventId: world.event, file: await openAsBlob(path), createItems: true });
    rmSync(path);
    expect(imported).toBe(1000);
  });

  it('is sent again from the start when the connection is lost', async () => {
    server.replyWith(hangUp, json(201, { imported: 1, items: [] }));
    await server.client().codes.upload({ eventId: 1, file: 'code,item\nA,B\n', filename: 'mine.csv' });
    const [first, second] = server.requests;
    expect(second?.body).toContain('name="file"; filename="mine.csv"');
    expect(second?.body).toContain('code,item\nA,B\n');
    expect(second?.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
    expect(second?.headers['idempotency-key']).toBe(first?.headers['idempotency-key']);
  });

  it('reports its progress on platforms that can stream requests', async () => {
    const told: Progress[] = [];
    const file = csvOf('Stream', 30_000);
    const onProgress = (progress: Progress) => void told.push(progress);
    const { imported } = await service.as('owner').codes.upload({ eventId: world.event, file, createItems: true }, { onProgress });
    expect(imported).toBe(30_000);
    expect(told.length).toBeGreaterThan(1);
    expect(told.map(({ sent }) => sent)).toEqual(told.map(({ sent }) => sent).toSorted((a, b) => a - b));
    expect(told.at(-1)).toEqual({ sent: file.length, total: file.length });
  });

  it('reports its progress with XMLHttpRequest on platforms that have it', async () => {
    vi.stubGlobal('XMLHttpRequest', FetchingXhr);
    const told: Progress[] = [];
    const file = csvOf('Xhr', 10);
    const { imported } = await service
      .as('owner')
      .codes.upload({ eventId: world.event, file, createItems: true }, { onProgress: (progress) => void told.push(progress) });
    expect(imported).toBe(10);
    expect(told).toEqual([
      { sent: 1, total: file.length },
      { sent: file.length, total: file.length },
    ]);
  });

  it('that uses XMLHttpRequest can be aborted', async () => {
    vi.stubGlobal('XMLHttpRequest', FetchingXhr);
    server.replyWith(() => undefined);
    const given = server.client().codes.upload({ eventId: 1, file: 'x' }, { onProgress: () => undefined, timeoutMs: 50, retries: 0 });
    await expect(given).rejects.toMatchObject({ name: 'NoAnswer', reason: 'timeout' });
  });
});

/** The part of a browser's XMLHttpRequest that the client uses, implemented with `fetch`. */
class FetchingXhr {
  status = 0;
  responseText = '';
  readonly upload = { addEventListener: (_type: string, listener: (event: { loaded: number }) => void) => this.#progress.push(listener) };
  readonly #progress: ((event: { loaded: number }) => void)[] = [];
  readonly #listeners: Record<string, () => void> = {};
  readonly #headers = new Headers();
  readonly #control = new AbortController();
  #request: [method: string, url: string] = ['', ''];
  #received = new Headers();

  addEventListener(type: string, listener: () => void): void {
    this.#listeners[type] = listener;
  }
  open(method: string, url: string): void {
    this.#request = [method, url];
  }
  setRequestHeader(name: string, value: string): void {
    this.#headers.set(name, value);
  }
  getAllResponseHeaders(): string {
    return [...this.#received].map(([name, value]) => `${name}: ${value}\r\n`).join('');
  }
  abort(): void {
    this.#control.abort();
  }
  send(body: FormData): void {
    const [method, url] = this.#request;
    for (const loaded of [1, 1_000_000]) for (const tell of this.#progress) tell({ loaded });
    void this.#exchange(url, { method, headers: this.#headers, body, signal: this.#control.signal });
  }
  async #exchange(url: string, init: RequestInit): Promise<void> {
    try {
      const response = await fetch(url, init);
      this.status = response.status;
      this.#received = response.headers;
      this.responseText = await response.text();
      this.#listeners.load?.();
    } catch {
      this.#listeners.abort?.();
    }
  }
}
