import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CheckinResult } from '../../src/door/contract.ts';
import type { Reply } from './api.ts';
import type { LogRow, ScanRow } from './scan-log.ts';
import { SendQueue } from './send-queue.ts';

interface Sent {
  path: 'checkIn' | 'undo';
  nonces: string[];
}

const scanRow = (nonce: string): LogRow =>
  ({ kind: 'scan', eventId: 1, nonce, at: 0, device: 'd', waiting: 1, code: nonce, sessionId: null, gate: '', direction: 'in' }) as ScanRow;
const undoRow = (nonce: string, undoes: string): LogRow => ({
  kind: 'undo',
  eventId: 1,
  nonce,
  undoes,
  at: 0,
  device: 'd',
  waiting: 1,
  result: null,
});

/** A log in memory, and a server that answers as `respond` says. */
function newQueue(rows: LogRow[], respond: (sent: Sent) => Reply<{ results: never[] }> | null = () => null) {
  const sent: Sent[] = [];
  const decided: string[] = [];
  const log = {
    waiting: async (eventId: number, limit?: number) => rows.filter(({ waiting }) => waiting === eventId).slice(0, limit),
    change: async <Row extends LogRow>(chosen: readonly Row[], change: (row: Row) => Row): Promise<Row[]> =>
      chosen.map(({ nonce }) => {
        const at = rows.findIndex((row) => row.nonce === nonce);
        const changed = change(rows[at] as Row);
        rows[at] = changed;
        return changed;
      }),
  };
  const send = (path: Sent['path']) => async (_eventId: number, entries: object[]) => {
    const request = { path, nonces: (entries as { nonce: string }[]).map(({ nonce }) => nonce) };
    sent.push(request);
    const results = request.nonces.map((nonce) => ({ nonce, result: path === 'undo' ? 'undone' : 'admitted' }));
    return (respond(request) ?? { kind: 'ok', body: { results } }) as Reply<{ results: never[] }>;
  };
  const queue = new SendQueue(log, { checkIn: send('checkIn'), undo: send('undo') }, async (of) => {
    decided.push(...of.map(({ nonce }) => nonce));
  });
  return { queue, sent, decided };
}

beforeEach(() => {
  vi.stubGlobal('navigator', { locks: { request: (_name: string, work: () => unknown) => Promise.resolve(work()) } });
});
afterEach(() => void vi.unstubAllGlobals());

describe('the queue', () => {
  it('sends scans and undos in the order of the log, each once', async () => {
    const { queue, sent, decided } = newQueue([scanRow('a'), scanRow('b'), undoRow('c', 'b'), scanRow('d')]);
    const [stop] = await Promise.all([queue.flush(1), queue.flush(1)]);
    expect(stop).toBeNull();
    expect(sent).toEqual([
      { path: 'checkIn', nonces: ['a', 'b'] },
      { path: 'undo', nonces: ['c'] },
      { path: 'checkIn', nonces: ['d'] },
    ]);
    expect(decided).toEqual(['a', 'b', 'd']);
  });

  it('keeps what got no response, and sends it again with the same nonces', async () => {
    let isOffline = true;
    const { queue, sent } = newQueue([scanRow('a'), scanRow('b')], () => (isOffline ? { kind: 'offline' } : null));
    expect(await queue.flush(1)).toEqual({ kind: 'offline' });
    isOffline = false;
    expect(await queue.flush(1)).toBeNull();
    expect(sent.map(({ nonces }) => nonces)).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ]);
  });

  it('sets aside a scan that the server refuses, and sends the others', async () => {
    const rows = [scanRow('a'), scanRow('old'), scanRow('b')];
    const refusal: Reply<never> = { kind: 'refused', status: 422, message: '', fields: ['entries[1].at'] };
    const { queue, sent } = newQueue(rows, ({ nonces }) => (nonces.includes('old') ? refusal : null));
    expect(await queue.flush(1)).toBeNull();
    expect(sent.at(-1)?.nonces).toEqual(['a', 'b']);
    expect((rows[1] as ScanRow).attention).toBe('rejected');
  });

  it('tells who waits for a scan its result, or that there is none', async () => {
    const online = newQueue([scanRow('a')]);
    const result = online.queue.resultOf('a', 60_000);
    await online.queue.flush(1);
    expect(await result).toMatchObject({ nonce: 'a', result: 'admitted' } satisfies Partial<CheckinResult>);
    const offline = newQueue([scanRow('a')], () => ({ kind: 'offline' }));
    const none = offline.queue.resultOf('a', 60_000);
    await offline.queue.flush(1);
    expect(await none).toBeNull();
  });
});
