import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { onStopSignal } from './stop-limit.ts';

const exit = vi.spyOn(process, 'exit').mockImplementation((() => undefined) as never);
const write = vi.spyOn(process.stderr, 'write').mockImplementation(() => true);
let removeHandlers: () => void;
const signals: string[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  signals.length = 0;
  removeHandlers = onStopSignal((signal) => signals.push(signal));
});

afterEach(() => {
  removeHandlers();
  vi.useRealTimers();
  exit.mockClear();
  write.mockClear();
});

it('ends the process with exit code 1, 25 s after the first signal', () => {
  process.emit('SIGTERM', 'SIGTERM');
  vi.advanceTimersByTime(20_000);
  process.emit('SIGINT', 'SIGINT');
  vi.advanceTimersByTime(4_999);
  expect(exit).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(exit).toHaveBeenCalledExactlyOnceWith(1);
  expect(write).toHaveBeenCalledWith('The process did not stop within 25 s of SIGTERM. It ends now.\n');
  expect(signals).toEqual(['SIGTERM', 'SIGINT']);
});

it('does nothing without a signal, or when the process has stopped in time', () => {
  vi.advanceTimersByTime(60_000);
  process.emit('SIGTERM', 'SIGTERM');
  removeHandlers();
  vi.advanceTimersByTime(60_000);
  expect(exit).not.toHaveBeenCalled();
});
