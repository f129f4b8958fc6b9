import type { AddressInfo } from 'node:net';
import { type App, createApp } from '../app.ts';
import { ConfigError } from '../config/read-setting.ts';
import { type Config, originOf } from '../config.ts';
import { demoPasswords, refusePublishedPasswords } from '../demo/passwords.ts';
import { hasDemo, isEmpty } from '../demo/people.sql.ts';
import { demoPassword, printedPeople } from '../demo/people.ts';
import { seedDemo } from '../demo/seed.ts';
import { drain } from '../http/drain.ts';
import { systemAct } from '../kernel/act.ts';
import type { Tracing } from '../kernel/tracing.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { startWaitingRooms } from '../waiting-room/start-waiting-rooms.ts';
import { startWorker } from '../worker/start-worker.ts';
import { type Command, type CommandContext, readArguments } from './command.ts';
import { demoLogins } from './demo-logins.ts';
import { type OpenDatabase, openDatabase } from './open-database.ts';
import { onStopSignal } from './stop-limit.ts';

const requestLimitMs = 10_000;

export const serve: Command = {
  summary: 'start the service',
  usage: 'tessera serve',
  async run(args, context) {
    readArguments(args, 0, {});
    await startService(context);
    process.exit();
  },
};

async function startService({ config, print }: CommandContext): Promise<void> {
  // Registered first, so that a signal during the start does not leave the embedded database running.
  const signal = firstSignal();
  const tracing = await startTracing(config, print);
  const database = await openDatabase({ config, log: print, exclusive: true, tracing });
  try {
    refuseUnsafeDatabase(config, database);
    const logins = await prepareData(config, database);
    const app = await createApp(config, { ...database, tracing });
    await listen(app, config);
    const stopWorker =
      config.serve.has('worker') && !config.readOnly ? await startWorker(config, database, database.clock, app.log) : async () => undefined;
    const stopRooms =
      config.serve.has('shop') && !config.readOnly
        ? startWaitingRooms({ ...database, batches: app.batches, log: app.log })
        : async () => undefined;
    print(banner(config, app, database, logins));
    print(`${await signal}: waiting for open requests to finish`);
    await Promise.all([drain(app, { delayMs: config.drainDelayMs, limitMs: requestLimitMs }), stopWorker(), stopRooms()]);
  } finally {
    await database.close();
    await tracing?.stop();
  }
}

/** Loads the packages of OpenTelemetry only if they are used, because they would make every start slower. */
async function startTracing({ traces }: Config, log: (line: string) => void): Promise<Tracing | undefined> {
  return traces ? (await import('../platform/open-telemetry.ts')).startTracing({ ...traces, log }) : undefined;
}

/** Refuses a database whose durability settings are off. With such a database, a power cut could lose a sale that was confirmed to the buyer. */
function refuseUnsafeDatabase({ serve, allowUnsafeDatabase }: Config, { facts }: OpenDatabase): void {
  if (facts.unsafeSettings.length === 0 || allowUnsafeDatabase || !serve.has('shop')) return;
  throw new ConfigError(
    `The database has ${facts.unsafeSettings.join(' and ')} off, so a power cut could lose sold tickets. Turn it on, or set UNSAFE_DATABASE=allow.`,
  );
}

/** Loads the demo data into an empty embedded database. Returns the lines of the banner that list the demo logins. */
async function prepareData(config: Config, { db, clock, embedded }: OpenDatabase): Promise<string[]> {
  return inTransaction(db, { readOnly: config.readOnly }, async (tx) => {
    if (embedded && config.demo !== 'off' && (await isEmpty(tx))) {
      const passwords = demoPasswords(config);
      await seedDemo(tx, systemAct('demo', clock()), passwords);
      if (config.demo === 'public') return ['  Demo logins. The passwords are shown only now:', ...demoLogins(passwords)];
    }
    if (!(await hasDemo(tx))) return [];
    await refusePublishedPasswords(tx, config);
    if (config.demo === 'public' || config.exposedBy !== null)
      return ['  Demo logins: set a forgotten password with tessera user password EMAIL'];
    return [`  Demo logins, password ${demoPassword}:`, ...printedPeople.map(({ email, shows }) => `    ${email.padEnd(20)} ${shows}`)];
  });
}

async function listen(app: App, { host, port }: Config): Promise<void> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    await app.close();
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') throw new ConfigError(`PORT=${port} is in use on ${host}. Stop the other program, or set another PORT.`);
    if (code === 'EACCES') throw new ConfigError(`PORT=${port} is not allowed for this user. Set a PORT above 1023.`);
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') throw new ConfigError(`HOST=${host} is not an address of this machine.`);
    throw error;
  }
}

/** Resolves with the first signal. The handlers stay registered, so that a second signal does not kill the process while it stops. */
const firstSignal = (): Promise<string> => new Promise((resolve) => void onStopSignal(resolve));

function banner(config: Config, app: App, { place, facts, embedded }: OpenDatabase, logins: readonly string[]): string {
  const { port } = app.server.address() as AddressInfo;
  const origin = config.port === 0 ? originOf(config.host, port) : config.publicUrl;
  return [
    '',
    'Tessera is ready.',
    '',
    ...(config.serve.has('web') ? [`  Shop       ${origin}/`, `  Console    ${origin}/console/`, `  Door       ${origin}/door/`] : []),
    `  API        ${origin}/v1`,
    `  Reference  ${origin}/docs`,
    `  Health     ${origin}/readyz`,
    `  Data       ${place} (${embedded ? 'embedded ' : ''}PostgreSQL ${facts.version})`,
    ...(logins.length > 0 ? ['', ...logins] : []),
    '',
  ].join('\n');
}
