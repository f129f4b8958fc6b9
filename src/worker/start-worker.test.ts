import { describe, expect, it } from 'vitest';
import { useWorld } from '../../test/harness.ts';
import { testConfig } from '../../test/test-config.ts';
import { openFiles } from '../platform/files/open-files.ts';
import { createMailer } from '../platform/mail/create-mailer.ts';
import { jobsOf } from './start-worker.ts';

const world = useWorld();

function jobNames(environment: Record<string, string>): string[] {
  const config = testConfig(environment);
  const silent = { info: () => undefined, error: () => undefined };
  const parts = { mailer: createMailer(config), files: openFiles(config), providers: world.providers, log: silent };
  return jobsOf(config, parts).map(({ name }) => name);
}

describe('the worker', () => {
  it('simulates buyers only while the sandbox is on', () => {
    expect(jobNames({ PAYMENTS: 'sandbox,cash' })).toContain('runSandbox');
    expect(jobNames({ PAYMENTS: 'cash' })).not.toContain('runSandbox');
  });
});
