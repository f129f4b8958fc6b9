import { createPrivateKey, createPublicKey, generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import type { Act } from '../kernel/act.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import type { Leg } from '../postgres/journey.ts';
import { type CheckingKey, toCheckingKey } from './ticket-check.ts';
import type { TicketKey, TicketPublicKey } from './ticket-code.ts';
import { insertTicketKey, selectPublicTicketKeys, selectSigningTicketKeys, type TicketKeyRow, ticketKeysOf } from './ticket-keys.sql.ts';

const firstKid = 0;

/** The key that signs the event's tickets; made when it is first needed. */
export async function ensureTicketKey(tx: Tx, act: Act, eventId: number): Promise<TicketKey> {
  const known = (await ticketKeys(tx, [eventId])).get(eventId);
  if (known) return known;
  const made = makeKey(eventId);
  if (await insertTicketKey(tx, made, act.at)) {
    await record(tx, act, { subject: 'ticket_key', id: `${eventId}/${firstKid}`, eventId, after: { kid: firstKid } });
    return toKey(made);
  }
  const theirs = (await ticketKeys(tx, [eventId])).get(eventId);
  if (!theirs) throw new Error(`Event ${eventId} has a ticket key that cannot be seen`);
  return theirs;
}

/** The keys that sign, by event. An event of which no ticket was sold yet has none. */
export async function ticketKeys(tx: Tx, eventIds: readonly number[]): Promise<Map<number, TicketKey>> {
  if (eventIds.length === 0) return new Map();
  const rows = await selectSigningTicketKeys(tx, eventIds);
  return new Map(rows.map((row) => [row.event_id, toKey(row)]));
}

/** All keys whose signatures are good, without the half that could make more of them. */
export async function ticketPublicKeys(tx: Tx, eventIds: readonly number[]): Promise<TicketPublicKey[]> {
  if (eventIds.length === 0) return [];
  const rows = await selectPublicTicketKeys(tx, eventIds);
  return rows.map((row) => ({ eventId: row.event_id, kid: row.kid, publicKey: createPublicKey({ format: 'jwk', key: publicJwk(row) }) }));
}

/** All keys whose signatures are good, ready to check what we have signed ourselves. */
export const ticketCheckingKeys = (eventId: number): Leg<CheckingKey[]> => ({
  statements: [ticketKeysOf(eventId)],
  read: ([rows = []]) =>
    (rows as TicketKeyRow[]).map(({ kid, public_key, private_key }) => toCheckingKey(eventId, kid, public_key, private_key)),
});

/**
 * The private half stands in the database in the clear, as that of the keys that sign access tokens does: who can read the one can read
 * the other, and could put tickets into the table besides.
 */
function makeKey(eventId: number): TicketKeyRow {
  const { d = '', x = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  return { event_id: eventId, kid: firstKid, public_key: Buffer.from(x, 'base64url'), private_key: Buffer.from(d, 'base64url') };
}

const publicJwk = ({ public_key }: Pick<TicketKeyRow, 'public_key'>): JsonWebKey => ({
  kty: 'OKP',
  crv: 'Ed25519',
  x: public_key.toString('base64url'),
});

const toKey = (row: TicketKeyRow): TicketKey => ({
  eventId: row.event_id,
  kid: row.kid,
  privateKey: createPrivateKey({ format: 'jwk', key: { ...publicJwk(row), d: row.private_key.toString('base64url') } }),
});
