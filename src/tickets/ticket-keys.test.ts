import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { runBehindLock } from '../../test/behind-lock.ts';
import { useWorld } from '../../test/harness.ts';
import { signTicket } from '../../test/ticket-codes.ts';
import { noon } from '../../test/world.ts';
import { systemAct } from '../kernel/act.ts';
import { DecryptionError } from '../postgres/secrets.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { type TicketKey, verifyTicketCode } from './ticket-code.ts';
import { ensureTicketKey, revokeTicketKeys, sealTicketKeys, ticketKeys, ticketPublicKeys } from './ticket-keys.ts';

const world = useWorld();

const ensure = (eventId: number): Promise<TicketKey> =>
  inTransaction(world.db, {}, (tx) => ensureTicketKey(tx, systemAct('test', noon), eventId));
const read = (eventIds: number[]) => inTransaction(world.db, { readOnly: true }, (tx) => ticketKeys(tx, eventIds));
const readPublic = (eventIds: number[]) => inTransaction(world.db, { readOnly: true }, (tx) => ticketPublicKeys(tx, eventIds));
/** Adds a key to an event. */
async function addKey(eventId: number, kid: number): Promise<void> {
  const { d = '', x = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const sealed = world.db.secrets.seal(Buffer.from(d, 'base64url'), `ticket_key ${eventId}/${kid}`);
  const statement = 'insert into ticket_key (event_id, kid, public_key, sealed_key, created_at) values ($1, $2, $3, $4, now())';
  await world.pool.query(statement, [eventId, kid, Buffer.from(x, 'base64url'), sealed]);
}
const rowsOf = async (eventId: number) => (await world.pool.query('select * from ticket_key where event_id = $1', [eventId])).rows;
const entriesOf = async (eventId: number) =>
  (await world.pool.query(`select * from audit_log where subject = 'ticket_key' and event_id = $1`, [eventId])).rows;

describe('the key that signs the tickets of an event', () => {
  it('is created once, when it is first needed, and the audit log does not contain the private key', async () => {
    expect(await read([world.event])).toEqual(new Map());
    const made = await ensure(world.event);
    const again = await ensure(world.event);
    const { event, event: eventId } = world;
    const code = await signTicket(made, 5);
    expect(await signTicket(again, 5)).toBe(code);
    expect(await verifyTicketCode(code, await readPublic([event]))).toEqual({ eventId, ticketId: 5, kid: 0 });
    expect(await rowsOf(event)).toHaveLength(1);
    expect(await entriesOf(event)).toMatchObject([{ subject_id: `${event}/0`, before: null, after: { kid: 0 } }]);
  });

  it('is the same for two transactions that create it concurrently', async () => {
    const eventId = world.siblingEvent;
    // Both transactions have read that the event has no key, and wait before they insert a key.
    const keys = await runBehindLock(world, 'lock table ticket_key in share mode', [() => ensure(eventId), () => ensure(eventId)]);
    const codes = await Promise.all(keys.map((key) => signTicket(key, 5)));
    expect(new Set(codes).size).toBe(1);
    expect(await verifyTicketCode(codes[0] ?? '', await readPublic([eventId]))).not.toBeNull();
    expect(await rowsOf(eventId)).toHaveLength(1);
    expect(await entriesOf(eventId)).toHaveLength(1);
  });

  it('is not stored when the transaction rolls back', async () => {
    const eventId = world.foreignEvent;
    const failing = inTransaction(world.db, {}, async (tx) => {
      await ensureTicketKey(tx, systemAct('test', noon), eventId);
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    expect(await rowsOf(eventId)).toEqual([]);
  });

  it('is different for each event, and one call reads the keys of many events', async () => {
    const events = [world.event, world.siblingEvent, world.foreignEvent];
    for (const event of events) await ensure(event);
    const keys = await read([...events, world.missing]);
    expect([...keys.keys()].toSorted((a, b) => a - b)).toEqual(events.toSorted((a, b) => a - b));
    const publicKeys = await readPublic(events);
    expect(new Set(publicKeys.map(({ publicKey }) => publicKey.export({ format: 'jwk' }).x)).size).toBe(3);
    for (const [eventId, key] of keys) {
      const code = await signTicket(key, 1);
      expect(await verifyTicketCode(code, publicKeys)).toEqual({ eventId, ticketId: 1, kid: 0 });
      expect(await verifyTicketCode(code, await readPublic(events.filter((other) => other !== eventId)))).toBeNull();
    }
    expect([await read([]), await readPublic([])]).toEqual([new Map(), []]);
  });

  it('is the newest key of the event, and codes of an older key are valid until that key is deleted', async () => {
    const eventId = world.event;
    const old = await signTicket(await ensure(eventId), 5);
    await addKey(eventId, 1);
    const fresh = await signTicket(await ensure(eventId), 5);
    const publicKeys = await readPublic([eventId]);
    expect(await verifyTicketCode(fresh, publicKeys)).toEqual({ eventId, ticketId: 5, kid: 1 });
    expect(await verifyTicketCode(old, publicKeys)).toEqual({ eventId, ticketId: 5, kid: 0 });
    await world.pool.query('delete from ticket_key where event_id = $1 and kid = 0', [eventId]);
    expect(await verifyTicketCode(old, await readPublic([eventId]))).toBeNull();
  });

  it('is encrypted in the database, and cannot be decrypted in the row of another event', async () => {
    const { siblingEvent, foreignEvent } = world;
    const [jwk] = [(await ensure(siblingEvent)).privateKey.export({ format: 'jwk' })];
    await ensure(foreignEvent);
    const [row] = (await rowsOf(siblingEvent)) as [{ sealed_key: Buffer }];
    expect(row.sealed_key.includes(Buffer.from(jwk?.d ?? '', 'base64url'))).toBe(false);
    const undone = inTransaction(world.db, {}, async (tx) => {
      await tx.updateTable('ticket_key').set({ sealed_key: row.sealed_key }).where('event_id', '=', foreignEvent).execute();
      await ticketKeys(tx, [foreignEvent]);
    });
    await expect(undone).rejects.toThrow(DecryptionError);
  });

  it('is encrypted again by a reseal, and signs the same codes', async () => {
    const eventId = world.siblingEvent;
    const code = await signTicket(await ensure(eventId), 5);
    const [before] = await rowsOf(eventId);
    const events = (await world.pool.query('select from ticket_key')).rows.length;
    expect(await inTransaction(world.db, {}, (tx) => sealTicketKeys(tx))).toBe(events);
    const [after] = await rowsOf(eventId);
    expect(after.sealed_key).not.toEqual(before.sealed_key);
    expect(await signTicket(await ensure(eventId), 5)).toBe(code);
  });

  it('is replaced by a revocation, and codes of the old key are no longer valid', async () => {
    const eventId = world.siblingEvent;
    const old = await signTicket(await ensure(eventId), 5);
    await inTransaction(world.db, {}, (tx) => revokeTicketKeys(tx, systemAct('test', noon)));
    const fresh = await signTicket(await ensure(eventId), 5);
    const publicKeys = await readPublic([eventId]);
    expect(await verifyTicketCode(old, publicKeys)).toBeNull();
    expect(await verifyTicketCode(fresh, publicKeys)).toEqual({ eventId, ticketId: 5, kid: 1 });
    expect(await entriesOf(eventId)).toMatchObject([{ after: { kid: 0 } }, { before: { kid: 0 }, after: { kid: 1 } }]);
  });
});
