import { describe, expect, it } from 'vitest';
import { readConfig } from './config.ts';

describe('readConfig', () => {
  it('returns defaults for an empty environment', () => {
    const config = readConfig({});
    expect(config).toMatchObject({
      port: 3000,
      host: '127.0.0.1',
      databaseUrl: null,
      publicUrl: 'http://127.0.0.1:3000',
      mailFrom: { name: 'Tessera', address: 'tickets@localhost' },
      demo: 'on',
      exposedBy: null,
      payments: new Set(['sandbox', 'cash']),
      logLevel: 'info',
      retention: { holdDays: 30, holderDays: 400, mailDays: 90, noticeDays: 400, exportDays: 90, idempotencyDays: 7, auditMonths: 24 },
    });
    expect(readConfig({ RETENTION_AUDIT_MONTHS: 'off' }).retention.auditMonths).toBeNull();
    expect(config.serve.has('shop') && config.serve.has('worker')).toBe(true);
    expect(Object.isFrozen(config)).toBe(true);
  });

  it('reads the values of the environment', () => {
    const config = readConfig({
      PORT: '8080',
      HOST: '::1',
      SERVE: 'event, ticket',
      PUBLIC_URL: 'https://tickets.example/',
      DEMO: 'off',
      RATE_LIMIT: 'off',
      CORS_ORIGINS: 'https://a.example,https://b.example',
    });
    expect(config).toMatchObject({ port: 8080, publicUrl: 'https://tickets.example', rateLimit: null });
    expect([...config.serve]).toEqual(['event', 'ticket']);
    expect(readConfig({ HOST: '::1' }).publicUrl).toBe('http://[::1]:3000');
  });

  it.each([
    [{ MAIL_FROM: 'tickets@shop.example' }, { name: '', address: 'tickets@shop.example' }],
    [{ MAIL_FROM: 'Casa de Shows <tickets@shop.example>' }, { name: 'Casa de Shows', address: 'tickets@shop.example' }],
    [
      { PUBLIC_URL: 'https://tickets.example', DEMO: 'off' },
      { name: 'Tessera', address: 'tickets@tickets.example' },
    ],
  ])('reads the sender of mails: %j gives %j', (environment, from) => {
    expect(readConfig(environment).mailFrom).toEqual(from);
  });

  it.each([
    ['PORT', '70000', '0 to 65535'],
    ['PORT', '', '0 to 65535'],
    ['HOST', ' ', 'must not be empty'],
    ['DATA_DIR', '', 'must not be empty'],
    ['DATABASE_URL', 'mysql://u:secret@h/d', 'postgresql://'],
    ['DATABASE_URL', 'host=a,b user=u password=secret', 'postgresql://user:password@a:5432,b:5432/database'],
    ['DATABASE_URL', 'postgres://u:secret@/d?host=a,b', 'Separate several hosts with commas'],
    ['DATABASE_URL', 'postgres://u:secret@a,b/d?target_session_attrs=standby', 'must be read-write or primary'],
    ['DATABASE_READ_URL', 'postgres://u:secret@a,b/d?target_session_attrs=primary', 'must be any'],
    ['DATABASE_POOL', '3', '4 to 500'],
    ['READ_ONLY', 'yes', 'off, on'],
    ['DRAIN_DELAY', '16', '0 to 15'],
    ['PUBLIC_URL', 'tickets.example', 'https://'],
    ['SMTP_URL', 'http://u:secret@h', 'smtps://'],
    ['MAIL_FROM', 'Casa de Shows', 'Name <tickets@shop.example>'],
    ['MAIL_FROM', 'a@b.example\r\nBcc: c@d.example', 'Name <tickets@shop.example>'],
    ['MAIL_FROM', 'A\nB <a@b.example>', 'Name <tickets@shop.example>'],
    ['MAIL_FROM', '', 'Name <tickets@shop.example>'],
    ['FILES_URL', 'https://u:secret@h/b', 's3://'],
    ['FILES_URL', 's3://key@host/bucket', 's3://user:password@host/bucket'],
    ['FILES_URL', 's3://key:hidden@host', 's3://user:password@host/bucket'],
    ['SERVE', 'event,tickets', 'ticket'],
    ['SERVE', '', 'ticket'],
    ['DEMO', 'no', 'on, off, public'],
    ['PAYMENTS', 'paypal', 'sandbox, cash, stripe, mercadopago'],
    ['PAYMENT_MINUTES', '61', '2 to 60'],
    ['PAYMENTS', '', 'sandbox, cash'],
    ['PAYMENTS_SANDBOX', 'yes', 'refuse, allow'],
    ['LOG_LEVEL', 'loud', 'warn'],
    ['CORS_ORIGINS', 'shop.example', 'https://shop.example'],
    ['CORS_ORIGINS', 'https://shop.example/', 'https://shop.example'],
    ['TRUST_PROXY', '', '10.0.0.0/8'],
    ['TRUST_PROXY', 'true', '10.0.0.0/8'],
    ['TRUST_PROXY', '0', '10.0.0.0/8'],
    ['TRUST_PROXY', '11', '10.0.0.0/8'],
    ['TRUST_PROXY', '-1', '10.0.0.0/8'],
    ['TRUST_PROXY', '10.0.0.0/0', '10.0.0.0/8'],
    ['TRUST_PROXY', '10.0.0.0/33', '10.0.0.0/8'],
    ['TRUST_PROXY', '10.0.0/8', '10.0.0.0/8'],
    ['TRUST_PROXY', 'fd00::/129', '10.0.0.0/8'],
    ['TRUST_PROXY', 'loopback', '10.0.0.0/8'],
    ['TRUST_PROXY', '10.0.0.1,', '10.0.0.0/8'],
    ['TRUST_PROXY', '2001:db8::/0', '10.0.0.0/8'],
    ['TRUST_PROXY', 'fe80::1%eth0', '10.0.0.0/8'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'localhost:4318', 'http://'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.5', 'a number from 0 to 1'],
    ['RATE_LIMIT', '0', 'or off'],
    ['LOAD_SHEDDING', 'maybe', 'on, off'],
    ['UNSAFE_DATABASE', 'yes', 'refuse, allow'],
    ['RETENTION_HOLD_DAYS', '1', 'a whole number from 2 to 3650 or off'],
    ['RETENTION_IDEMPOTENCY_DAYS', 'off', 'a whole number from 1 to 90'],
    ['RETENTION_AUDIT_MONTHS', '0', 'or off'],
  ])('refuses %s=%s with a message that names the variable and the allowed values', (name, value, allowed) => {
    const read = () => readConfig({ [name]: value });
    expect(read).toThrow(name);
    expect(read).toThrow(allowed);
    expect(read).not.toThrow('secret');
  });

  it.each([
    [{}, ['sandbox', 'cash']],
    [{ DEMO: 'off' }, ['cash']],
    [{ DATABASE_URL: 'postgresql://localhost/tessera' }, ['cash']],
    [{ PAYMENTS: 'sandbox', DEMO: 'off' }, ['sandbox']],
    [{ HOST: '0.0.0.0', PAYMENTS: 'cash' }, ['cash']],
    [{ HOST: '0.0.0.0', PAYMENTS_SANDBOX: 'allow' }, ['sandbox', 'cash']],
    [{ HOST: '127.0.0.2', PUBLIC_URL: 'http://localhost:3000' }, ['sandbox', 'cash']],
  ])('chooses the payment providers: %j gives %j', (environment, providers) => {
    expect([...readConfig(environment).payments]).toEqual(providers);
  });

  it.each([
    { HOST: '0.0.0.0' },
    { HOST: '::' },
    { HOST: 'tickets.example' },
    { PUBLIC_URL: 'https://tickets.example' },
    { PUBLIC_URL: 'https://tickets.example', DATABASE_URL: 'postgresql://localhost/tessera', PAYMENTS: 'cash,sandbox' },
  ])('refuses the sandbox on a public address unless PAYMENTS_SANDBOX=allow: %j', (environment) => {
    expect(() => readConfig(environment)).toThrow(/^PAYMENTS=.*PAYMENTS=cash.*PAYMENTS_SANDBOX=allow/);
    expect(readConfig({ ...environment, PAYMENTS_SANDBOX: 'allow' }).payments.has('sandbox')).toBe(true);
  });

  it.each([
    [{ HOST: 'localhost' }, null],
    [{ HOST: '::1' }, null],
    [{ PUBLIC_URL: 'http://[::1]:3000' }, null],
    [{ HOST: '0.0.0.0' }, 'HOST=0.0.0.0'],
    [{ HOST: '127.0.0.1.evil.example' }, 'HOST=127.0.0.1.evil.example'],
    [{ PUBLIC_URL: 'http://192.0.2.7' }, 'PUBLIC_URL=http://192.0.2.7'],
    [{ PUBLIC_URL: 'https://tickets.example' }, 'PUBLIC_URL=https://tickets.example'],
  ])('names the setting that makes the service public: %j gives %j', (environment, by) => {
    expect(readConfig({ PAYMENTS: 'cash', ...environment }).exposedBy).toBe(by);
  });

  it.each([
    [undefined, false],
    ['off', false],
    ['on', 1],
    ['3', 3],
    ['10.0.0.0/8, fd00::/8,192.0.2.1', ['10.0.0.0/8', 'fd00::/8', '192.0.2.1']],
  ])('reads TRUST_PROXY=%s as %j', (value, trusted) => {
    expect(readConfig({ TRUST_PROXY: value }).trustProxy).toEqual(trusted);
  });
});

describe('the keys of payment providers', () => {
  const stripe = {
    PAYMENTS: 'stripe,cash',
    STRIPE_SECRET_KEY: 'sk_live_secret',
    STRIPE_PUBLISHABLE_KEY: 'pk_live_x',
    STRIPE_WEBHOOK_SECRET: 'whsec_secret',
  };
  const mercadoPago = { PAYMENTS: 'mercadopago', MERCADOPAGO_ACCESS_TOKEN: 'APP_USR-secret', MERCADOPAGO_WEBHOOK_SECRET: 'a-long-secret' };
  const isPublic = { PUBLIC_URL: 'https://tickets.example', DEMO: 'off' };
  const testKeys = { STRIPE_SECRET_KEY: 'sk_test_secret', STRIPE_PUBLISHABLE_KEY: 'pk_test_x' };

  it('are read only if PAYMENTS has the provider', () => {
    expect(readConfig({ ...stripe, ...isPublic }).stripe).toEqual({
      secretKey: 'sk_live_secret',
      publishableKey: 'pk_live_x',
      webhookSecret: 'whsec_secret',
      apiBase: null,
      methods: ['card', 'pix'],
    });
    expect(readConfig({ ...mercadoPago, ...isPublic }).mercadoPago).toMatchObject({ accessToken: 'APP_USR-secret' });
    expect(readConfig({ ...stripe, PAYMENTS: 'cash' }).stripe).toBeNull();
  });

  it.each([
    [{ ...stripe, STRIPE_SECRET_KEY: undefined }, 'STRIPE_SECRET_KEY is missing'],
    [{ ...stripe, STRIPE_SECRET_KEY: 'pk_live_secret' }, 'sk_live_'],
    [{ ...stripe, STRIPE_WEBHOOK_SECRET: 'secret' }, 'whsec_'],
    [{ ...stripe, STRIPE_METHODS: 'card,cash' }, 'card, pix, boleto'],
    [{ ...stripe, STRIPE_SECRET_KEY: 'sk_test_secret' }, 'both from test mode'],
    [{ ...stripe, ...isPublic, ...testKeys }, 'PAYMENTS_SANDBOX=allow'],
    [{ ...mercadoPago, MERCADOPAGO_ACCESS_TOKEN: 'secret' }, 'APP_USR-'],
    [{ ...mercadoPago, ...isPublic, MERCADOPAGO_ACCESS_TOKEN: 'TEST-secret' }, 'PAYMENTS_SANDBOX=allow'],
  ])('are refused if they are missing or wrong, without showing them: %#', (environment, message) => {
    expect(() => readConfig(environment)).toThrow(message);
    expect(() => readConfig(environment)).not.toThrow(/=secret|_secret\b|-secret/);
  });

  it('of a test mode are allowed on this machine, and on a public address with PAYMENTS_SANDBOX=allow', () => {
    expect(readConfig({ ...stripe, ...testKeys }).stripe?.secretKey).toBe('sk_test_secret');
    expect(readConfig({ ...stripe, ...testKeys, ...isPublic, PAYMENTS_SANDBOX: 'allow' }).stripe).not.toBeNull();
  });
});
