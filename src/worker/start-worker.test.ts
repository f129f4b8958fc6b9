import { describe, expect, it } from 'vitest';
import { testConfig } from '../../test/test-config.ts';
import { openFiles } from '../platform/files/open-files.ts';
import { createMailer } from '../platform/mail/create-mailer.ts';
import { jobsOf } from './start-worker.ts';

function jobNames(environment: Record<string, string>): string[] {
  const config = testConfig(environment);
  const silent = { info: () => undefined, error: () => undefined };
  return jobsOf(config, createMailer(config), openFiles(config), silent).map(({ name }) => name);
}

describe('the worker', () => {
  it('runs the sandbox jobs only while the sandbox is on', () => {
    const sandboxJobs = ['runSandbox', 'reconcilePayments'];
    expect(jobNames({ PAYMENTS: 'sandbox,cash' })).toEqual(expect.arrayContaining(sandboxJobs));
    for (const name of sandboxJobs) expect(jobNames({ PAYMENTS: 'cash' })).not.toContain(name);
  });
});
