import { Secrets } from '../src/postgres/secrets.ts';

/** The SECRET_KEY of all test databases. */
export const testSecretKey = 'the secret key of the worlds of tests';
export const testSecrets: Secrets = new Secrets(testSecretKey);
