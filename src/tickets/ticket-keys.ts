import { createPrivateKey, createPublicKey, generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import type { Act } from '../kernel/act.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import type { Step } from '../postgres/pipeline.ts';
import type { TicketKey, TicketPublicKey } from './ticket-code.ts';
import {
  deleteTicketKeys,
  insertTicketKey,
  type PublicKeyRow,
  publicTicketKeys,
  type SealedTicketKeyRow,
  selectNewestTicketKeys,
  selectSealedTicketKeys,
  selectSigningTicketKeys,
  type TicketKeyRow,
  updateSealedTicketKeys,
} from './ticket-keys.sql.ts';

const firstKid = 0;

/** Returns the key that signs the event's tickets. Creates the key if the event has none. */
export async function ensureTicketKey(tx: Tx, act: Act, eventId: number): Promise<TicketKey> {
  const existing = (await ticketKeys(tx, [eventId])).get(eventId);
  if (existing) return existing;
  const created = createKey(tx, eventId, firstKid);
  if (await insertTicketKey(tx, created, act.at)) {
    await record(tx, act, { subject: 'ticket_key', id: `${eventId}/${firstKid}`, eventId, after: { kid: firstKid } });
    return toKey(tx, created);
  }
  // A concurrent transaction has inserted the key first.
  const inserted = (await ticketKeys(tx, [eventId])).get(eventId);
  if (!inserted) throw new Error(`Event ${eventId} has a ticket key that this transaction cannot read`);
  return inserted;
}

/** Returns the signing keys by event. An event has no key before its first ticket is sold. */
export async function ticketKeys(tx: Tx, eventIds: readonly number[]): Promise<Map<number, TicketKey>> {
  if (eventIds.length === 0) return new Map();
  const rows = await selectSigningTicketKeys(tx, eventIds);
  return new Map(rows.map((row) => [row.event_id, toKey(tx, row)]));
}

/** Returns all public keys of the events. Older keys are included, because their signatures are still valid. */
export async function ticketPublicKeys(tx: Tx, eventIds: readonly number[]): Promise<TicketPublicKey[]> {
  if (eventIds.length === 0) return [];
  return (await publicTicketKeys(eventIds).execute(tx)).rows.map(toPublicKey);
}

/** Returns the pipeline step that reads the public keys of one event. */
export const publicKeysOf = (eventId: number): Step<TicketPublicKey[]> => ({
  statements: [publicTicketKeys([eventId])],
  read: ([rows = []]) => (rows as PublicKeyRow[]).map(toPublicKey),
});

const toPublicKey = (row: PublicKeyRow): TicketPublicKey => ({
  eventId: row.event_id,
  kid: row.kid,
  publicKey: createPublicKey({ format: 'jwk', key: publicJwk(row) }),
});

const keysPerStatement = 1_000;
const beforeAllKeys: readonly [number, number] = [0, -1];

/**
 * Seals (encrypts) all ticket keys with the current SECRET_KEY. They may be sealed with SECRET_KEY_OLD. Returns the number of keys. Only the
 * command `keys reseal` calls this, and no key changes after it was created, so the keys are not locked.
 */
export async function sealTicketKeys(tx: Tx): Promise<number> {
  let after = beforeAllKeys;
  for (let count = 0; ; ) {
    const rows = await selectSealedTicketKeys(tx, after, keysPerStatement);
    const last = rows.at(-1);
    if (!last) return count;
    const sealed = rows.map((row) => sealKey(tx, row, openKey(tx, row)).toString('hex'));
    await updateSealedTicketKeys(
      tx,
      rows.map(({ event_id, kid }, i) => ({ event_id, kid, sealed: sealed[i] ?? '' })),
    );
    count += rows.length;
    after = [last.event_id, last.kid];
  }
}

/** Throws if SECRET_KEY cannot decrypt the ticket keys. It tries only one key, because all keys are sealed with the same secret. */
export async function checkTicketKeys(tx: Tx): Promise<void> {
  const [row] = await selectSealedTicketKeys(tx, beforeAllKeys, 1);
  if (row) openKey(tx, row);
}

/** A key number is one byte, so there are 256 different numbers. */
const kidCount = 256;

/** Replaces the key of each event, after SECRET_KEY was leaked or lost. Codes that the old keys signed are no longer valid. */
export async function revokeTicketKeys(tx: Tx, act: Act): Promise<number> {
  const newest = await selectNewestTicketKeys(tx);
  for (const { event_id: eventId, kid } of newest) {
    await deleteTicketKeys(tx, eventId);
    const created = createKey(tx, eventId, (kid + 1) % kidCount);
    await insertTicketKey(tx, created, act.at);
    await record(tx, act, {
      subject: 'ticket_key',
      id: `${eventId}/${created.kid}`,
      eventId,
      before: { kid },
      after: { kid: created.kid },
    });
  }
  return newest.length;
}

function createKey(tx: Tx, eventId: number, kid: number): TicketKeyRow {
  const { d = '', x = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const name = { event_id: eventId, kid };
  return { ...name, public_key: Buffer.from(x, 'base64url'), sealed_key: sealKey(tx, name, Buffer.from(d, 'base64url')) };
}

type KeyName = Pick<TicketKeyRow, 'event_id' | 'kid'>;

const rowName = ({ event_id, kid }: KeyName): string => `ticket_key ${event_id}/${kid}`;

const sealKey = ({ secrets }: Tx, name: KeyName, privateKey: Buffer): Buffer => secrets.seal(privateKey, rowName(name));

const openKey = ({ secrets }: Tx, row: SealedTicketKeyRow): Buffer => secrets.open(row.sealed_key, rowName(row));

const publicJwk = ({ public_key }: Pick<TicketKeyRow, 'public_key'>): JsonWebKey => ({
  kty: 'OKP',
  crv: 'Ed25519',
  x: public_key.toString('base64url'),
});

const toKey = (tx: Tx, row: TicketKeyRow): TicketKey => ({
  eventId: row.event_id,
  kid: row.kid,
  privateKey: createPrivateKey({ format: 'jwk', key: { ...publicJwk(row), d: openKey(tx, row).toString('base64url') } }),
});
