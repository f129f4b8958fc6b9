import { describe, expect, it } from 'vitest';
import { problem, useScriptedServer } from './scripted-server.ts';

const server = useScriptedServer();
const told = (status: string, finishedAt: string | null) => `data: ${JSON.stringify({ status, finishedAt })}\n\n`;
const open = { 'content-type': 'text/event-stream' };

async function watched(signal?: AbortSignal): Promise<string[]> {
  const states: string[] = [];
  for await (const { status } of server.client().exports.watch({ id: 1 }, signal ? { signal } : {})) states.push(status);
  return states;
}

describe('exports.watch', () => {
  it('yields each state once, for any size of the chunks of the stream, and ends with the last state', async () => {
    const stream = `: hello\n\n${told('queued', null)}${told('queued', null)}${told('ready', 'now')}`;
    server.replyWith((response) => {
      response.writeHead(200, open);
      for (const letter of stream) response.write(letter);
    });
    expect(await watched()).toEqual(['queued', 'ready']);
    expect(server.requests[0]?.headers.accept).toBe('*/*');
  });

  it('reconnects when the stream ends or breaks before the last state', async () => {
    server.replyWith(
      (response) => void response.writeHead(200, open).end(told('queued', null)),
      (response) => void response.writeHead(200, open).write(told('running', null), () => response.destroy()),
      (response) => void response.writeHead(200, open).end(told('running', null) + told('ready', 'now')),
    );
    expect(await watched()).toEqual(['queued', 'running', 'ready']);
    expect(server.requests).toHaveLength(3);
  });

  it('throws a problem when the service refuses the stream', async () => {
    server.replyWith(problem(404, 'not_found'));
    await expect(watched()).rejects.toMatchObject({ code: 'not_found' });
  });

  it('closes the stream when its signal is aborted and when the caller leaves the loop', async () => {
    server.replyWith((response) => void response.writeHead(200, open).write(told('queued', null)));
    const control = new AbortController();
    setTimeout(() => control.abort(), 50);
    await expect(watched(control.signal)).rejects.toMatchObject({ name: 'AbortError' });
    for await (const { status } of server.client().exports.watch({ id: 1 })) {
      expect(status).toBe('queued');
      break;
    }
  });
});
