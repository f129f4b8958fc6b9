import { describe, expect, it } from 'vitest';
import { testConfig } from '../../test/test-config.ts';
import { openFiles } from '../platform/files/open-files.ts';
import { createMailer } from '../platform/mail/create-mailer.ts';
import { dutiesOf } from './start-worker.ts';

function dutyNames(environment: Record<string, string>): string[] {
  const config = testConfig(environment);
  const silent = { info: () => undefined, error: () => undefined };
  return dutiesOf(config, createMailer(config), openFiles(config), silent).map(({ name }) => name);
}

describe('the worker', () => {
  it('plays the buyers of the sandbox and reads its books only while the sandbox is on', () => {
    const ofTheSandbox = ['runSandbox', 'reconcilePayments'];
    expect(dutyNames({ PAYMENTS: 'sandbox,cash' })).toEqual(expect.arrayContaining(ofTheSandbox));
    for (const name of ofTheSandbox) expect(dutyNames({ PAYMENTS: 'cash' })).not.toContain(name);
  });
});
