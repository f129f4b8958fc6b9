import { createInterface } from 'node:readline/promises';
import { eraseUser } from '../accounts/erase-user.ts';
import { resetFactors } from '../accounts/factors.ts';
import { grantProducerRole } from '../accounts/members.ts';
import { findUser } from '../accounts/user.ts';
import { createUser, updateUser } from '../accounts/users.ts';
import { eraseCrewInvitations, grantCrewRole } from '../events/crew.ts';
import { type CrewRole, crewRoles, type ProducerRole, producerRoles } from '../kernel/access.ts';
import { type Act, systemAct } from '../kernel/act.ts';
import { parseId } from '../kernel/parse-id.ts';
import { Problem } from '../kernel/problem.ts';
import type { Tx } from '../postgres/database.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { type Command, readArguments, UsageError } from './command.ts';
import { withDatabase } from './open-database.ts';

const minPasswordLength = 10;

export const user: Command = {
  summary: 'create and erase users, set passwords, give roles, remove second factors',
  usage: `tessera user create EMAIL --name NAME [--admin]
tessera user password EMAIL [--keep-tokens]
tessera user grant EMAIL --admin
tessera user grant EMAIL --producer ID --role ${producerRoles.join('|')}
tessera user grant EMAIL --event ID --role ${crewRoles.join('|')}
tessera user reset-factors EMAIL
tessera user erase EMAIL

create and password read the password from standard input: one line of at least ${minPasswordLength} characters.
A new password ends all sessions of the user and revokes their API tokens. With --keep-tokens the API tokens stay valid.
reset-factors removes the second factors and recovery codes of the user. Use it if the user has lost them. The password is then enough to log in.
erase replaces the e-mail and name of the user, disables the account, ends all sessions and revokes the API tokens. It cannot be undone.`,
  async run(args, context) {
    const { print } = context;
    const [verb = '', ...rest] = args;
    const plan = Object.hasOwn(plans, verb) ? plans[verb] : undefined;
    if (!plan) {
      throw new UsageError(
        verb
          ? `Unknown action: ${verb}. Use create, password, grant, reset-factors or erase.`
          : 'The action is missing. Use create, password, grant, reset-factors or erase.',
      );
    }
    const work = await plan(rest);
    const done = await withDatabase(context, ({ db, clock }) =>
      inTransaction(db, {}, (tx) => work(tx, systemAct(`user ${verb}`, clock()))),
    );
    print(done);
  },
};

/** Reads arguments and password before the database is opened. Returns the function that makes the change. */
type Plan = (args: string[]) => Promise<(tx: Tx, act: Act) => Promise<string>>;

const plans: Record<string, Plan> = {
  create: planCreate,
  password: planPassword,
  grant: planGrant,
  'reset-factors': planResetFactors,
  erase: planErase,
};

async function planCreate(args: string[]) {
  const { positionals, values } = readArguments(args, 1, { name: { type: 'string' }, admin: { type: 'boolean' } });
  const email = readEmail(positionals[0]);
  const { name, admin = false } = values;
  if (!name) throw new UsageError('--name is missing.');
  const password = await readPassword();
  return async (tx: Tx, act: Act) => {
    const { id } = await createUser(tx, act, { email, name, password, admin });
    return `User ${id} created: ${email}${admin ? ', platform admin' : ''}.`;
  };
}

async function planPassword(args: string[]) {
  const { positionals, values } = readArguments(args, 1, { 'keep-tokens': { type: 'boolean' } });
  const email = readEmail(positionals[0]);
  const keepTokens = values['keep-tokens'] === true;
  const password = await readPassword();
  return async (tx: Tx, act: Act) => {
    await updateUser(tx, act, await requireUser(tx, email), { password, keepTokens });
    return `${email} has a new password. Their sessions have ended${keepTokens ? '.' : ' and their API tokens are revoked.'}`;
  };
}

async function planGrant(args: string[]) {
  const { positionals, values } = readArguments(args, 1, {
    admin: { type: 'boolean' },
    producer: { type: 'string' },
    event: { type: 'string' },
    role: { type: 'string' },
  });
  const email = readEmail(positionals[0]);
  const { admin, producer, event, role } = values;
  if ([admin, producer, event].filter((choice) => choice !== undefined).length !== 1)
    throw new UsageError('Give exactly one of --admin, --producer, --event.');
  return async (tx: Tx, act: Act) => {
    const userId = await requireUser(tx, email);
    if (admin) await updateUser(tx, act, userId, { admin: true });
    if (producer) await grantProducerRole(tx, act, readId('--producer', producer), userId, readRole<ProducerRole>(role, producerRoles));
    if (event) await grantCrewRole(tx, act, readId('--event', event), userId, readRole<CrewRole>(role, crewRoles));
    return `${email} is now ${admin ? 'platform admin' : `${role} of ${producer ? `producer ${producer}` : `event ${event}`}`}.`;
  };
}

async function planResetFactors(args: string[]) {
  const { positionals } = readArguments(args, 1, {});
  const email = readEmail(positionals[0]);
  return async (tx: Tx, act: Act) => {
    const removed = await resetFactors(tx, act, await requireUser(tx, email));
    return `${removed} second factors of ${email} are removed. The password is enough to log in until the user adds a factor.`;
  };
}

async function planErase(args: string[]) {
  const { positionals } = readArguments(args, 1, {});
  const email = readEmail(positionals[0]);
  return async (tx: Tx, act: Act) => {
    const userId = await requireUser(tx, email);
    await eraseUser(tx, act, userId);
    await eraseCrewInvitations(tx, userId);
    return `User ${userId} is erased. Entries about them stay in the audit log until RETENTION_AUDIT_MONTHS have passed.`;
  };
}

function readEmail(text = ''): string {
  if (!/^[^\s@]+@[^\s@]+$/.test(text) || text.length > 254) throw new UsageError(`${text} is not an e-mail address.`);
  return text;
}

function readId(option: string, text: string): number {
  const id = parseId(text);
  if (id === null) throw new UsageError(`${option} must be an id: a positive whole number.`);
  return id;
}

function readRole<R extends string>(role: string | undefined, allowed: readonly R[]): R {
  const found = allowed.find((known) => known === role);
  if (!found) throw new UsageError(`--role must be one of ${allowed.join(', ')}.`);
  return found;
}

async function readPassword(): Promise<string> {
  const input = createInterface({ input: process.stdin, output: process.stdin.isTTY ? process.stderr : undefined, terminal: false });
  try {
    if (process.stdin.isTTY) process.stderr.write('Password: ');
    for await (const line of input) {
      if (line.length < minPasswordLength || line.length > 200)
        throw new UsageError(`The password must have ${minPasswordLength} to 200 characters.`);
      return line;
    }
    throw new UsageError('No password on standard input.');
  } finally {
    input.close();
  }
}

async function requireUser(tx: Tx, email: string): Promise<number> {
  const found = await findUser(tx, email);
  if (!found) throw new Problem('not_found', `No user has the e-mail ${email}.`);
  return found.id;
}
