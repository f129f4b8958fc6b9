import { describe, expect, it } from 'vitest';
import { ChangedEvents } from './changed-events.ts';

describe('changed events', () => {
  it('are each returned once, and the first and every tenth round searches all events', () => {
    const changed = new ChangedEvents();
    expect(changed.take()).toBeNull();
    for (const payload of ['7', '8', '7']) changed.add(payload);
    expect(changed.take()).toEqual([7, 8]);
    const rounds = Array.from({ length: 9 }, () => changed.take());
    expect(rounds.map((round) => round?.length ?? null)).toEqual([0, 0, 0, 0, 0, 0, 0, 0, null]);
  });

  it('are all events after a notice for all pages, and after a reconnect', () => {
    for (const payload of ['*', null]) {
      const changed = new ChangedEvents();
      changed.take();
      changed.add(payload);
      expect(changed.take()).toBeNull();
    }
  });
});
