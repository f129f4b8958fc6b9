import { describe, expect, it } from 'vitest';
import { problem, useScript } from './script.ts';

const script = useScript();
const told = (status: string, finishedAt: string | null) => `data: ${JSON.stringify({ status, finishedAt })}\n\n`;
const open = { 'content-type': 'text/event-stream' };

async function watched(signal?: AbortSignal): Promise<string[]> {
  const states: string[] = [];
  for await (const { status } of script.client().exports.watch({ id: 1 }, signal ? { signal } : {})) states.push(status);
  return states;
}

describe('watching', () => {
  it('tells each change once, however the stream is cut into pieces, and ends with the work', async () => {
    const stream = `: hello\n\n${told('queued', null)}${told('queued', null)}${told('ready', 'now')}`;
    script.plays((response) => {
      response.writeHead(200, open);
      for (const letter of stream) response.write(letter);
    });
    expect(await watched()).toEqual(['queued', 'ready']);
    expect(script.seen[0]?.headers.accept).toBe('*/*');
  });

  it('listens again when the stream ends or breaks off before the work does', async () => {
    script.plays(
      (response) => void response.writeHead(200, open).end(told('queued', null)),
      (response) => void response.writeHead(200, open).write(told('running', null), () => response.destroy()),
      (response) => void response.writeHead(200, open).end(told('running', null) + told('ready', 'now')),
    );
    expect(await watched()).toEqual(['queued', 'running', 'ready']);
    expect(script.seen).toHaveLength(3);
  });

  it('a refusal is a problem like any other', async () => {
    script.plays(problem(404, 'not_found'));
    await expect(watched()).rejects.toMatchObject({ code: 'not_found' });
  });

  it('ends when who watches gives up, and when they have seen enough', async () => {
    script.plays((response) => void response.writeHead(200, open).write(told('queued', null)));
    const control = new AbortController();
    setTimeout(() => control.abort(), 50);
    await expect(watched(control.signal)).rejects.toMatchObject({ name: 'AbortError' });
    for await (const { status } of script.client().exports.watch({ id: 1 })) {
      expect(status).toBe('queued');
      break;
    }
  });
});
