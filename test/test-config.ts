import { type Config, readConfig } from '../src/config.ts';

export const testConfig = (environment: Record<string, string> = {}): Config =>
  readConfig({
    LOG_LEVEL: 'silent',
    RATE_LIMIT: 'off',
    LOAD_SHEDDING: 'off',
    UNSAFE_DATABASE: 'allow',
    PAYMENTS: 'sandbox,cash',
    PAYMENTS_SANDBOX: 'allow',
    ...environment,
  });
