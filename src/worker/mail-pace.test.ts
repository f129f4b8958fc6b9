import type { EventLoopUtilization } from 'node:perf_hooks';
import { describe, expect, it } from 'vitest';
import { mailPace } from './mail-pace.ts';

/** A simulated process. The test decides how long it is active and idle. */
function simulateProcess() {
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

const allowedMails = async (n: number) => n;

describe('mailPace', () => {
  it('allows 10 mails after a busy interval and 200 otherwise', async () => {
    const { pace, pass } = simulateProcess();
    pass(100, 900);
    expect(await pace(allowedMails)).toBe(200);
    pass(900, 100);
    expect(await pace(allowedMails)).toBe(10);
    pass(100, 900);
    expect(await pace(allowedMails)).toBe(200);
  });

  it('does not count the load that sending the mails itself causes', async () => {
    const { pace, pass } = simulateProcess();
    await pace(async () => pass(5_000, 0));
    pass(100, 900);
    expect(await pace(allowedMails)).toBe(200);
  });

  it('measures its own process by default', async () => {
    expect([10, 200]).toContain(await mailPace()(allowedMails));
  });
});
