import { describe, expect, it } from 'vitest';
import { atOnceBehind } from '../../test/at-once.ts';
import { useWorld } from '../../test/harness.ts';
import { noon } from '../../test/world.ts';
import { systemAct } from '../kernel/act.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { signTicket, type TicketKey, verifyTicketCode } from './ticket-code.ts';
import { ensureTicketKey, ticketKeys, ticketPublicKeys } from './ticket-keys.ts';

const world = useWorld();

const ensure = (eventId: number): Promise<TicketKey> =>
  inTransaction(world.db, {}, (tx) => ensureTicketKey(tx, systemAct('test', noon), eventId));
const read = (eventIds: number[]) => inTransaction(world.db, { readOnly: true }, (tx) => ticketKeys(tx, eventIds));
const readPublic = (eventIds: number[]) => inTransaction(world.db, { readOnly: true }, (tx) => ticketPublicKeys(tx, eventIds));
const rowsOf = async (eventId: number) => (await world.pool.query('select * from ticket_key where event_id = $1', [eventId])).rows;
const entriesOf = async (eventId: number) =>
  (await world.pool.query(`select * from audit_log where subject = 'ticket_key' and event_id = $1`, [eventId])).rows;

describe('the key that signs the tickets of an event', () => {
  it('is made when first needed, once, and recorded without what is secret', async () => {
    expect(await read([world.event])).toEqual(new Map());
    const made = await ensure(world.event);
    const again = await ensure(world.event);
    const { event, event: eventId } = world;
    const code = signTicket(made, { eventId, ticketId: 5 });
    expect(signTicket(again, { eventId, ticketId: 5 })).toBe(code);
    expect(verifyTicketCode(code, await readPublic([event]))).toEqual({ eventId, ticketId: 5, kid: 0 });
    expect(await rowsOf(event)).toHaveLength(1);
    expect(await entriesOf(event)).toMatchObject([{ subject_id: `${event}/0`, before: null, after: { kid: 0 } }]);
  });

  it('is one, though two make it at once', async () => {
    const eventId = world.siblingEvent;
    // Both have seen that there is none, and wait to write theirs.
    const keys = await atOnceBehind(world, 'lock table ticket_key in share mode', [() => ensure(eventId), () => ensure(eventId)]);
    const codes = keys.map((key) => signTicket(key, { eventId, ticketId: 5 }));
    expect(new Set(codes).size).toBe(1);
    expect(verifyTicketCode(codes[0] ?? '', await readPublic([eventId]))).not.toBeNull();
    expect(await rowsOf(eventId)).toHaveLength(1);
    expect(await entriesOf(eventId)).toHaveLength(1);
  });

  it('is gone with a transaction that came to nothing', async () => {
    const eventId = world.foreignEvent;
    const failing = inTransaction(world.db, {}, async (tx) => {
      await ensureTicketKey(tx, systemAct('test', noon), eventId);
      throw new Error('after all not');
    });
    await expect(failing).rejects.toThrow('after all not');
    expect(await rowsOf(eventId)).toEqual([]);
  });

  it('is read of many events at once, and is another in each', async () => {
    const events = [world.event, world.siblingEvent, world.foreignEvent];
    for (const event of events) await ensure(event);
    const keys = await read([...events, world.missing]);
    expect([...keys.keys()].toSorted((a, b) => a - b)).toEqual(events.toSorted((a, b) => a - b));
    const publicKeys = await readPublic(events);
    expect(new Set(publicKeys.map(({ publicKey }) => publicKey.export({ format: 'jwk' }).x)).size).toBe(3);
    for (const [eventId, key] of keys) {
      const code = signTicket(key, { eventId, ticketId: 1 });
      expect(verifyTicketCode(code, publicKeys)).toEqual({ eventId, ticketId: 1, kid: 0 });
      expect(verifyTicketCode(code, await readPublic(events.filter((other) => other !== eventId)))).toBeNull();
    }
    expect([await read([]), await readPublic([])]).toEqual([new Map(), []]);
  });

  it('is the newest; what an older one has signed is good as long as that one stands', async () => {
    const eventId = world.event;
    const old = signTicket(await ensure(eventId), { eventId, ticketId: 5 });
    await world.pool.query(
      'insert into ticket_key (event_id, kid, public_key, private_key, created_at) select $1, 1, public_key, private_key, created_at from ticket_key where event_id = $2',
      [eventId, world.siblingEvent],
    );
    const fresh = signTicket(await ensure(eventId), { eventId, ticketId: 5 });
    const publicKeys = await readPublic([eventId]);
    expect(verifyTicketCode(fresh, publicKeys)).toEqual({ eventId, ticketId: 5, kid: 1 });
    expect(verifyTicketCode(old, publicKeys)).toEqual({ eventId, ticketId: 5, kid: 0 });
    await world.pool.query('delete from ticket_key where event_id = $1 and kid = 0', [eventId]);
    expect(verifyTicketCode(old, await readPublic([eventId]))).toBeNull();
  });
});
