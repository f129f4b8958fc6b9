import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import {
  ConfigError,
  choice,
  database,
  type Environment,
  integer,
  integerOrOff,
  invalidSetting,
  list,
  text,
  url,
} from './config/read-setting.ts';
import { groups } from './kernel/route.ts';

/** Values of SERVE: the groups of the API, the web apps, and the background worker. */
const servable = [...groups, 'web', 'worker'] as const;
/** `sandbox` simulates cards and PIX with test money. `cash` is collected by the crew. The others are companies. */
const paymentProviders = ['sandbox', 'cash', 'stripe', 'mercadopago'] as const;
type PaymentProvider = (typeof paymentProviders)[number];
const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

export interface Config {
  port: number;
  host: string;
  dataDir: string;
  /** The URL of the PostgreSQL server. Null means the embedded server. */
  databaseUrl: string | null;
  /** The URL of replicas for reports, search and exports. Null means that the primary serves these too. */
  databaseReadUrl: string | null;
  /** The maximum number of database connections for requests. */
  databasePool: number;
  /** How long the process still accepts requests after the signal to stop. */
  drainDelayMs: number;
  /** Whether this process only reads, so that DATABASE_URL may be a standby. */
  readOnly: boolean;
  publicUrl: string;
  /** Whether PUBLIC_URL is set. If it is, requests may come through a proxy. */
  hasPublicUrl: boolean;
  /** The URL of the mail server. Null means that mails are written to a folder. */
  smtpUrl: string | null;
  /** The URL of the file store. Null means that files are stored in a folder in dataDir. */
  filesUrl: string | null;
  mailFrom: { name: string; address: string };
  serve: ReadonlySet<string>;
  /** Whether demo data is loaded into an empty embedded database. With `public` the demo accounts get random passwords. */
  demo: 'on' | 'off' | 'public';
  /** The setting that makes the service reachable from other machines, such as `HOST=0.0.0.0`. Null when only this machine can reach it. */
  exposedBy: string | null;
  payments: ReadonlySet<PaymentProvider>;
  /** How long a buyer has to pay. */
  paymentMs: number;
  /** Null if PAYMENTS does not contain `stripe`. */
  stripe: StripeSettings | null;
  /** Null if PAYMENTS does not contain `mercadopago`. */
  mercadoPago: { accessToken: string; webhookSecret: string } | null;
  logLevel: string;
  corsOrigins: readonly string[];
  /** The number of proxies in front of the service, or the networks they are in. False means none. */
  trustProxy: false | number | string[];
  rateLimit: number | null;
  /** Whether an overloaded process returns 503. */
  loadShedding: boolean;
  metricsToken: string | null;
  /** The OpenTelemetry collector that gets traces, and the share of traces that it gets. Null means no tracing. */
  traces: { endpoint: string; share: number } | null;
  allowUnsafeDatabase: boolean;
  /** Whether webhooks may use private addresses and plain HTTP. */
  webhooksAllowPrivate: boolean;
  retention: Retention;
  /** The key that encrypts the private keys in the database. Null means the key file in dataDir, which only the embedded database may use. */
  secretKey: string | null;
  /** The previous SECRET_KEY, needed while SECRET_KEY is being replaced. */
  secretKeyOld: string | null;
}

interface StripeSettings {
  secretKey: string;
  publishableKey: string;
  webhookSecret: string;
  /** Another address of the API, for example of a stand-in. Null: Stripe's own. */
  apiBase: string | null;
  methods: readonly ('card' | 'pix' | 'boleto')[];
}

/** How long data is kept. Null means forever. */
export interface Retention {
  /** Personal data of buyers whose order was never paid. */
  holdDays: number | null;
  mailDays: number | null;
  /** Names and documents of the holders of imported codes, counted from the end of the event. */
  holderDays: number | null;
  noticeDays: number | null;
  exportDays: number | null;
  /** Changes in the feed, and the delivery log of webhooks. */
  changeDays: number | null;
  idempotencyDays: number;
  auditMonths: number | null;
}

export function readConfig(env: Environment): Config {
  const port = integer(env, 'PORT', 3000, 0, 65_535);
  const host = text(env, 'HOST', '127.0.0.1');
  const publicUrl = (url(env, 'PUBLIC_URL', ['http:', 'https:']) ?? originOf(host, port)).replace(/\/$/, '');
  const databaseUrl = database(env, 'DATABASE_URL', ['read-write', 'primary']);
  const demo = choice(env, 'DEMO', ['on', 'off', 'public']);
  const chosen = payments(env, { host, publicUrl, testMoney: databaseUrl === null && demo !== 'off' });
  const testKeys = allowsTestMoney(env, host, publicUrl);
  return Object.freeze({
    port,
    host,
    dataDir: resolve(text(env, 'DATA_DIR', 'data')),
    databaseUrl,
    databaseReadUrl: database(env, 'DATABASE_READ_URL', ['any']),
    databasePool: integer(env, 'DATABASE_POOL', 20, 4, 500),
    drainDelayMs: integer(env, 'DRAIN_DELAY', 0, 0, 15) * 1000,
    readOnly: choice(env, 'READ_ONLY', ['off', 'on']) === 'on',
    publicUrl,
    hasPublicUrl: env.PUBLIC_URL !== undefined,
    smtpUrl: url(env, 'SMTP_URL', ['smtp:', 'smtps:']),
    filesUrl: bucketUrl(env),
    mailFrom: mailbox(env, 'MAIL_FROM', publicUrl),
    serve: new Set(list(env, 'SERVE', servable)),
    demo,
    exposedBy: exposedBy(host, publicUrl),
    payments: chosen,
    paymentMs: integer(env, 'PAYMENT_MINUTES', 15, 2, 60) * 60_000,
    stripe: chosen.has('stripe') ? stripe(env, testKeys) : null,
    mercadoPago: chosen.has('mercadopago') ? mercadoPago(env, testKeys) : null,
    logLevel: choice(env, 'LOG_LEVEL', ['info', ...logLevels.filter((level) => level !== 'info')]),
    corsOrigins: origins(env),
    trustProxy: trustedProxies(env),
    rateLimit: env.RATE_LIMIT === 'off' ? null : integer(env, 'RATE_LIMIT', 3_000, 1, 10_000_000, ' or off'),
    loadShedding: choice(env, 'LOAD_SHEDDING', ['on', 'off']) === 'on',
    metricsToken: env.METRICS_TOKEN || null,
    traces: traces(env),
    allowUnsafeDatabase: choice(env, 'UNSAFE_DATABASE', ['refuse', 'allow']) === 'allow',
    webhooksAllowPrivate: choice(env, 'WEBHOOKS_ALLOW_PRIVATE', ['off', 'on']) === 'on',
    retention: {
      // At least 2 days: a payment may arrive on the day after the hold expired, and its order needs the buyer's data.
      holdDays: integerOrOff(env, 'RETENTION_HOLD_DAYS', 30, 2, 3_650),
      holderDays: integerOrOff(env, 'RETENTION_HOLDER_DAYS', 400, 1, 3_650),
      mailDays: integerOrOff(env, 'RETENTION_MAIL_DAYS', 90, 1, 3_650),
      noticeDays: integerOrOff(env, 'RETENTION_NOTICE_DAYS', 400, 30, 3_650),
      exportDays: integerOrOff(env, 'RETENTION_EXPORT_DAYS', 90, 1, 3_650),
      // At least 4 days: a delivery is retried for 3 days.
      changeDays: integerOrOff(env, 'RETENTION_CHANGE_DAYS', 30, 4, 3_650),
      idempotencyDays: integer(env, 'RETENTION_IDEMPOTENCY_DAYS', 7, 1, 90),
      auditMonths: integerOrOff(env, 'RETENTION_AUDIT_MONTHS', 24, 1, 600),
    },
    secretKey: secretKey(env),
    secretKeyOld: env.SECRET_KEY_OLD === undefined ? null : requireLength('SECRET_KEY_OLD', env.SECRET_KEY_OLD),
  });
}

/** URLs need brackets around an IPv6 address. */
export const originOf = (host: string, port: number): string => `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

const minSecretLength = 32;
const howToCreateKey = 'Create a key with: openssl rand -base64 32';

/** Error messages never contain a secret, so that no secret is written to a log. */
function requireLength(name: string, secret: string): string {
  if (secret.trim().length >= minSecretLength) return secret.trim();
  throw invalidSetting(name, '…', `it must have at least ${minSecretLength} characters. ${howToCreateKey}`);
}

export function readSecretFile(name: string, file: string): string {
  try {
    return requireLength(name, readFileSync(file, 'utf8'));
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw invalidSetting(name, file, `it must be a file with a secret of at least ${minSecretLength} characters. ${howToCreateKey} > FILE`);
  }
}

function secretKey(env: Environment): string | null {
  const { SECRET_KEY: given, SECRET_KEY_FILE: file } = env;
  if (given !== undefined && file !== undefined) throw invalidSetting('SECRET_KEY', '…', 'set SECRET_KEY or SECRET_KEY_FILE, not both');
  if (given !== undefined) return requireLength('SECRET_KEY', given);
  return file === undefined ? null : readSecretFile('SECRET_KEY_FILE', file);
}

/** The names of the variables are those of the OpenTelemetry specification. */
function traces(env: Environment): Config['traces'] {
  const endpoint = url(env, 'OTEL_EXPORTER_OTLP_ENDPOINT', ['http:', 'https:']);
  const share = env.OTEL_TRACES_SAMPLER_ARG ?? '1';
  if (!/^(0(\.\d+)?|1(\.0+)?)$/.test(share)) throw invalidSetting('OTEL_TRACES_SAMPLER_ARG', share, 'it must be a number from 0 to 1');
  return endpoint === null ? null : { endpoint, share: Number(share) };
}

/** Whether only programs on this machine can connect to the address. */
const isLoopback = (host: string): boolean => /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/i.test(host);

function exposedBy(host: string, publicUrl: string): string | null {
  if (!isLoopback(host)) return `HOST=${host}`;
  return isLoopback(new URL(publicUrl).hostname) ? null : `PUBLIC_URL=${publicUrl}`;
}

interface PaymentDefaults {
  host: string;
  publicUrl: string;
  /** Whether the sandbox is on when PAYMENTS is not set. */
  testMoney: boolean;
}

const stripeMethods = ['card', 'pix', 'boleto'] as const;

function stripe(env: Environment, testKeys: boolean): StripeSettings {
  const secretKey = credential(
    env,
    'STRIPE_SECRET_KEY',
    /^(sk|rk)_(test|live)_/,
    'a secret key of Stripe: sk_live_…, sk_test_… or a restricted key rk_…',
  );
  const publishableKey = credential(
    env,
    'STRIPE_PUBLISHABLE_KEY',
    /^pk_(test|live)_/,
    'a publishable key of Stripe: pk_live_… or pk_test_…',
  );
  const isTest = secretKey.includes('_test_');
  if (isTest !== publishableKey.includes('_test_')) {
    throw new ConfigError('STRIPE_SECRET_KEY and STRIPE_PUBLISHABLE_KEY must both be from live mode, or both from test mode.');
  }
  if (isTest && !testKeys) throw testKeyRefused('STRIPE_SECRET_KEY', 'sk_live_…');
  return {
    secretKey,
    publishableKey,
    webhookSecret: credential(env, 'STRIPE_WEBHOOK_SECRET', /^whsec_/, 'the signing secret of the webhook endpoint: whsec_…'),
    apiBase: url(env, 'STRIPE_API_BASE', ['http:', 'https:']),
    // Stripe cannot refund a boleto, so it must be chosen.
    methods: list(env, 'STRIPE_METHODS', stripeMethods, ['card', 'pix']),
  };
}

function mercadoPago(env: Environment, testKeys: boolean): Config['mercadoPago'] {
  const form = /^(APP_USR|TEST)-/;
  const accessToken = credential(env, 'MERCADOPAGO_ACCESS_TOKEN', form, 'an access token of Mercado Pago: APP_USR-… or TEST-…');
  if (accessToken.startsWith('TEST-') && !testKeys) throw testKeyRefused('MERCADOPAGO_ACCESS_TOKEN', 'APP_USR-…');
  return {
    accessToken,
    webhookSecret: credential(env, 'MERCADOPAGO_WEBHOOK_SECRET', /^\S{8,}$/, 'the secret signature of the webhooks'),
  };
}

const testKeyRefused = (name: string, live: string): ConfigError =>
  new ConfigError(
    `${name} is from test mode, in which everybody can pay with a test card, but the service is public. Set a live key (${live}), or PAYMENTS_SANDBOX=allow for a public test shop.`,
  );

/** Error messages never contain the value. */
function credential(env: Environment, name: string, form: RegExp, allowed: string): string {
  const value = env[name]?.trim() ?? '';
  if (form.test(value)) return value;
  throw value === ''
    ? new ConfigError(`${name} is missing: PAYMENTS needs ${allowed}`)
    : invalidSetting(name, '…', `it must be ${allowed}`);
}

/** Test money buys real tickets. So a public shop must allow it explicitly. */
function allowsTestMoney(env: Environment, host: string, publicUrl: string): boolean {
  const isPublic = !isLoopback(host) || publicUrl.startsWith('https:');
  return choice(env, 'PAYMENTS_SANDBOX', ['refuse', 'allow']) === 'allow' || !isPublic;
}

/** The sandbox approves any card. So a shop that is reachable from other machines must allow the sandbox explicitly. */
function payments(env: Environment, { host, publicUrl, testMoney }: PaymentDefaults): ReadonlySet<PaymentProvider> {
  const chosen = list(env, 'PAYMENTS', paymentProviders, testMoney ? ['sandbox', 'cash'] : ['cash']);
  if (!chosen.includes('sandbox') || allowsTestMoney(env, host, publicUrl)) return new Set(chosen);
  throw new ConfigError(
    `PAYMENTS=${chosen.join(',')} includes the sandbox, which approves orders without real money, but ${exposedBy(host, publicUrl) ?? publicUrl} makes the service public. ` +
      'Set PAYMENTS=cash to sell, or PAYMENTS_SANDBOX=allow for a public test shop.',
  );
}

function bucketUrl(env: Environment): string | null {
  const value = url(env, 'FILES_URL', ['s3:']);
  if (value === null) return null;
  const { username, password, host, pathname } = new URL(value);
  if (username && password && host && /^\/[\w.-]+$/.test(pathname)) return value;
  throw invalidSetting('FILES_URL', '…', 'it must be a URL such as s3://user:password@host/bucket?region=us-east-1');
}

/** `Name <address>` or only an address. The default address is at the host of PUBLIC_URL, or at localhost if that host is an IP address. */
function mailbox(env: Environment, name: string, publicUrl: string): { name: string; address: string } {
  const { hostname } = new URL(publicUrl);
  const value = env[name] ?? `Tessera <tickets@${/[a-z]$/.test(hostname) ? hostname : 'localhost'}>`;
  const parts = /^(?:([^<>"\p{Cc}]*?)\s*<([^<>]*)>|([^<>]*))$/u.exec(value);
  const address = parts?.[2] ?? parts?.[3] ?? '';
  if (!/^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[a-z0-9.-]{1,190}$/i.test(address)) {
    throw invalidSetting(name, value, 'it must be an e-mail address such as tickets@shop.example, or Name <tickets@shop.example>');
  }
  return { name: parts?.[1] ?? '', address };
}

const maxHops = 10;

function trustedProxies(env: Environment): false | number | string[] {
  const value = env.TRUST_PROXY ?? 'off';
  if (value === 'off') return false;
  if (value === 'on') return 1;
  if (/^[1-9]\d?$/.test(value) && Number(value) <= maxHops) return Number(value);
  const networks = value.split(',').map((part) => part.trim());
  if (networks.every(isNetwork)) return networks;
  throw invalidSetting(
    'TRUST_PROXY',
    value,
    `it must be off, on (one proxy), the number of proxies from 1 to ${maxHops}, or their networks such as 10.0.0.0/8,fd00::/8`,
  );
}

/** An IP address, optionally with a prefix length. A prefix length of 0 is refused, because it would trust every client. */
function isNetwork(text: string): boolean {
  const [, address = '', prefix] = /^([^/]+)(?:\/([1-9]\d{0,2}))?$/.exec(text) ?? [];
  const bits = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0;
  return bits > 0 && !address.includes('%') && Number(prefix ?? bits) <= bits;
}

const isOrigin = (text: string): boolean => text === '*' || (URL.canParse(text) && new URL(text).origin === text);

function origins(env: Environment): string[] {
  const value = env.CORS_ORIGINS;
  if (value === undefined) return [];
  const parts = value.split(',').map((part) => part.trim());
  if (!parts.every(isOrigin))
    throw invalidSetting('CORS_ORIGINS', value, 'it must be a comma-separated list of origins such as https://shop.example, or *');
  return parts;
}
