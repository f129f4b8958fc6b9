import type { EventLoopUtilization } from 'node:perf_hooks';
import { describe, expect, it } from 'vitest';
import { mailPace } from './mail-pace.ts';

/** A process whose time passes by the test's own hand. */
function process() {
  const now = { active: 0, idle: 0 };
  const measure = (since?: EventLoopUtilization): EventLoopUtilization => {
    const active = now.active - (since?.active ?? 0);
    const idle = now.idle - (since?.idle ?? 0);
    return { active, idle, utilization: active + idle === 0 ? 0 : active / (active + idle) };
  };
  const pass = (active: number, idle: number) => {
    now.active += active;
    now.idle += idle;
  };
  return { pace: mailPace(measure), pass };
}

const most = async (n: number) => n;

describe('the pace of mails', () => {
  it('is slow in a process that was busy since the last round, and only then', async () => {
    const { pace, pass } = process();
    pass(100, 900);
    expect(await pace(most)).toBe(200);
    pass(900, 100);
    expect(await pace(most)).toBe(10);
    pass(100, 900);
    expect(await pace(most)).toBe(200);
  });

  it('does not count what the round itself took', async () => {
    const { pace, pass } = process();
    await pace(async () => pass(5_000, 0));
    pass(100, 900);
    expect(await pace(most)).toBe(200);
  });

  it('measures the process it runs in when nothing else is said', async () => {
    expect([10, 200]).toContain(await mailPace()(most));
  });
});
