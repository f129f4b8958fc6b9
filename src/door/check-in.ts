/*
 * Most scans are the first scan of their ticket, so the server first decides a batch optimistically. It reads the tickets and the log
 * without a lock, so that several batches of one event can be decided at the same time. It then locks the door of the event and writes.
 * The transaction fails if a refund, an undo or another scan has changed the data since it was read. The server then retries the batch and
 * takes the lock before it reads. Some batches cannot be decided without the lock: those with imported codes, forged codes, used tickets or
 * repeated nonces. For these batches the server takes the lock before it decides.
 */

import { useCodes } from '../codes/use-codes.ts';
import { lockDoor } from '../events/lock-event.ts';
import { groupBy } from '../kernel/group-by.ts';
import { Problem } from '../kernel/problem.ts';
import { recordAll } from '../platform/audit.ts';
import { type NewChange, recordChanges } from '../platform/changes/record-changes.ts';
import type { Tx } from '../postgres/database.ts';
import { byIndex, runPipeline, type Statement, sendWithCommit } from '../postgres/pipeline.ts';
import { countAway, countEntries, guestKey } from '../tickets/entry-totals.ts';
import { publicKeysOf } from '../tickets/ticket-keys.ts';
import {
  DoorFacts,
  importedOf,
  type LookupKeys,
  lockedCodes,
  type TicketLookupKey,
  ticketsOf,
  unverifiedKey,
  verifiedKey,
} from './admissible-tickets.ts';
import type { ScanUndo } from './admission.ts';
import { failIfChanged, failIfReentryChanged, lastTicketChange } from './check-in.sql.ts';
import type { CheckinResult } from './contract.ts';
import { type AdmissionSlot, awayChangesOf, type ChangedScan, createEntrance, entryChangesOf, slotKey } from './entrance.ts';
import { admissionsOf, countedScansOf, type LoggedScan, scansWithoutAdmission, undosOf } from './logged-scans.ts';
import { type CheckinRequest, namesTicket, type ParsedEntry, parseEntries } from './parse-entries.ts';
import type { AdmissibleTicket } from './scan-validity.ts';
import { changeStates, insertDoorSessions, insertScans, type NewScan, newChangeIds } from './scans.sql.ts';
import { doorRules, itemsOf, sessionsOf } from './sessions-and-items.sql.ts';
import { keysOfTyped } from './typed-codes.ts';

interface CheckinResponse {
  results: CheckinResult[];
}

/** The rows that the database has about the scanned codes before this batch. */
interface StoredState {
  ticketsByKey: Map<TicketLookupKey, AdmissibleTicket>;
  /** The admissions of the tickets, or all their scans that count if the event allows re-entry, by `slotKey`. */
  scans: Map<string, LoggedScan[]>;
  undos: ScanUndo[];
  /** Scans of this batch that are in the log already, by `scanKey`. */
  log: Map<string, NewScan>;
}

/** Identifies a scan. Two scans with the same nonce but different tickets or codes are different scans. */
const scanKey = (nonce: string, ticketId: number | null, codeId: number | null): string => `${nonce} ${ticketId ?? ''} ${codeId ?? ''}`;

/** Checks in the scans of many requests in one transaction. Locks events in the order of their ids, so that two batches cannot deadlock. */
export async function makeCheckins(tx: Tx, requests: readonly CheckinRequest[], isRetry: boolean): Promise<(CheckinResponse | Problem)[]> {
  const responses = new Map<CheckinRequest, CheckinResponse | Problem>();
  for (const eventId of [...new Set(requests.map((request) => request.eventId))].toSorted((a, b) => a - b)) {
    const ofEvent = requests.filter((request) => request.eventId === eventId);
    const parsed = await parseEntries(tx, eventId, ofEvent);
    for (const [request, outcome] of parsed) responses.set(request, outcome instanceof Problem ? outcome : { results: [] });
    const entries = [...parsed.values()].flatMap((outcome) => (outcome instanceof Problem ? [] : outcome));
    for (const [request, results] of await checkInAtEvent(tx, eventId, entries, isRetry)) responses.set(request, { results });
  }
  return requests.map((request) => responses.get(request) as CheckinResponse | Problem);
}

async function checkInAtEvent(
  tx: Tx,
  eventId: number,
  entries: readonly ParsedEntry[],
  isRetry: boolean,
): Promise<Map<CheckinRequest, CheckinResult[]>> {
  if (entries.length === 0) return new Map();
  const batch = await loadBatch(tx, eventId, entries, isRetry);
  const { facts, keys, ticketsByKey, entrance, log } = batch;
  const newScans: NewScan[] = [];
  const results = new Map<CheckinRequest, CheckinResult[]>(entries.map(({ request }) => [request, []]));
  for (const [i, parsed] of entries.entries()) {
    const ticket = ticketsByKey.get(keys[i] as TicketLookupKey);
    const key = scanKey(parsed.entry.nonce, ticket?.ticketId ?? null, ticket?.codeId ?? null);
    const logged = log.get(key);
    const scan = logged ? repeatScan(logged, parsed) : decideScan(entrance, parsed, ticket);
    if (!logged) {
      log.set(key, scan);
      newScans.push(scan);
    }
    results.get(parsed.request)?.push(toResult(facts, scan, ticket));
  }
  await writeBatch(tx, eventId, batch, newScans, results);
  return results;
}

/**
 * Reads the data of a batch. If the data was read without the lock of the door, `readAfter` is the last ticket change before it was read.
 */
async function loadBatch(tx: Tx, eventId: number, entries: readonly ParsedEntry[], isRetry: boolean) {
  const unverified = lookupKeysOf(entries, ({ entry, code }) => unverifiedKey(eventId, entry, code));
  const { facts, lastChange, found, state: unlocked } = await readUnlocked(tx, eventId, unverified);
  const scannedKeys = await Promise.all(entries.map(({ entry, code }) => verifiedKey(facts, entry, code)));
  const notFound = scannedKeys.filter(
    (key, i) => !found.has(key) && (typeof key === 'string' || namesTicket((entries[i] as ParsedEntry).entry)),
  );
  const otherKeys = await keysOfTyped(tx, eventId, notFound);
  const keys = scannedKeys.map((key) => otherKeys.get(key) ?? key);
  // `readUnlocked` looked up a forged code by the ticket id in it. Such a code must be looked up as an imported code instead.
  const hasForged = entries.some(({ code }, i) => code?.claim.eventId === eventId && typeof keys[i] === 'string');
  const optimisticState = isRetry || hasForged || otherKeys.size > 0 || facts.reentry !== 'none' ? null : unlocked;
  const lookup = optimisticState ? unverified : lookupKeysOf(entries, (_, i) => keys[i] as TicketLookupKey);
  const { ticketsByKey, scans, undos, log } = optimisticState ?? (await readLocked(tx, eventId, facts, lookup));
  const admissions = [...scans.values()].flat().filter(({ state }) => state === 'inside');
  const guestsBefore = new Set(admissions.map((scan) => guestKey(scan.ticket_id, scan.external_code_id)));
  const entrance = createEntrance(scans, undos, facts.reentry);
  return { facts, keys, ticketsByKey, entrance, guestsBefore, log, lookup, readAfter: optimisticState ? lastChange : null };
}

function lookupKeysOf(entries: readonly ParsedEntry[], keyOf: (entry: ParsedEntry, i: number) => TicketLookupKey): LookupKeys {
  const keys = [...new Set(entries.map(keyOf))];
  return {
    ticketIds: keys.filter((key) => typeof key === 'number'),
    codes: keys.filter((key) => typeof key === 'string'),
    nonces: entries.map(({ entry }) => entry.nonce),
  };
}

/**
 * Reads in one round trip, without the lock. `found` has the keys that belong to a ticket or an imported code. `state` is null if these scans
 * can be decided only with the lock.
 */
async function readUnlocked(
  tx: Tx,
  eventId: number,
  { ticketIds, codes, nonces }: LookupKeys,
): Promise<{ facts: DoorFacts; lastChange: number; found: ReadonlySet<TicketLookupKey>; state: StoredState | null }> {
  const [, publicKeys, sessions, items, rules, lastChange, tickets, imported, admissions, others] = await runPipeline(tx, [
    byIndex,
    publicKeysOf(eventId),
    sessionsOf(eventId),
    itemsOf(eventId),
    doorRules(eventId),
    lastTicketChange(eventId),
    ticketsOf(eventId, ticketIds),
    importedOf(eventId, codes),
    admissionsOf(eventId, { ticketIds, codeIds: [] }),
    scansWithoutAdmission(eventId, nonces),
  ]);
  const facts = new DoorFacts(publicKeys, sessions, items, rules);
  const [ticketsByKey, ofCodes] = [new Map(tickets(facts)), imported(facts)];
  const allNew = ofCodes.length === 0 && admissions.length === 0 && others.length === 0;
  const state = { ticketsByKey, scans: new Map(), undos: [], log: new Map() };
  const found = new Set([...ticketsByKey.keys(), ...ofCodes.map(([code]) => code)]);
  return { facts, lastChange, found, state: allNew ? state : null };
}

/** Takes the lock of the door, then reads. Refunds take the same lock, so tickets cannot change after they are read. */
async function readLocked(tx: Tx, eventId: number, facts: DoorFacts, { ticketIds, codes, nonces }: LookupKeys): Promise<StoredState> {
  const scansOf = facts.reentry === 'none' ? admissionsOf : countedScansOf;
  const [, , tickets, imported, ofTickets, undos, others] = await runPipeline(tx, [
    { statements: [lockDoor(eventId)], read: () => null },
    lockedCodes(eventId, codes),
    ticketsOf(eventId, ticketIds),
    importedOf(eventId, codes),
    scansOf(eventId, { ticketIds, codeIds: [] }),
    undosOf(eventId, nonces),
    scansWithoutAdmission(eventId, nonces),
  ]);
  const ofCodes = imported(facts);
  const [ofImported] = await runPipeline(tx, [scansOf(eventId, idsOf(ofCodes))]);
  const scans = [...ofTickets, ...ofImported];
  return {
    ticketsByKey: new Map([...tickets(facts), ...ofCodes]),
    scans: groupBy(scans, (scan) => slotKey(scan.ticket_id, scan.external_code_id, scan.session_id)),
    undos,
    log: new Map([...scans, ...others].map((scan) => [scanKey(scan.nonce, scan.ticket_id, scan.external_code_id), scan])),
  };
}

const idsOf = (imported: readonly [TicketLookupKey, AdmissibleTicket][]) => ({
  ticketIds: imported.flatMap(([, { ticketId }]) => ticketId ?? []),
  codeIds: imported.flatMap(([, { codeId }]) => codeId ?? []),
});

type Batch = Awaited<ReturnType<typeof loadBatch>>;
type Entrance = Batch['entrance'];

async function writeBatch(
  tx: Tx,
  eventId: number,
  { facts, ticketsByKey, entrance, guestsBefore, lookup, readAfter }: Batch,
  scans: readonly NewScan[],
  results: ReadonlyMap<CheckinRequest, CheckinResult[]>,
): Promise<void> {
  const slots = entrance.used();
  const sessionIds = [...new Set(slots.flatMap(({ session }) => session?.id ?? []))];
  const codes = slots.flatMap(({ ticket, admission }) => (admission ? (ticket.importedCodeId ?? []) : []));
  const acts = [...results].map(([{ act }, ofRequest]) => ({ act, change: changeOf(eventId, ofRequest) }));
  const receivedAt = acts[0]?.act.at;
  if (!receivedAt) return;
  const notRefunded = lookup.ticketIds.filter((id) => ticketsByKey.get(id)?.refunded === false);
  const stateChanges = await changesTo(tx, eventId, entrance.changed());
  await sendWithCommit(tx, [
    ...(readAfter === null ? [] : [lockDoor(eventId)]),
    ...stateChanges,
    insertScans(eventId, receivedAt, scans),
    ...countEntries(eventId, entryChangesOf(slots, facts.items), guestsBefore),
    ...countAway(eventId, awayChangesOf(slots)),
    ...(codes.length > 0 ? [useCodes(eventId, codes)] : []),
    ...(sessionIds.length > 0 ? [insertDoorSessions(eventId, sessionIds)] : []),
    ...recordAll(acts),
    ...recordChanges(slots.flatMap((slot) => checkinChange(eventId, slot, receivedAt) ?? [])),
    readAfter === null ? failIfReentryChanged(eventId, facts.reentry) : failIfChanged(eventId, readAfter, notRefunded, lookup.nonces),
  ]);
}

/** A scan that arrived late may be earlier than scans that were counted. For example, an entry then becomes a double. This is rare. */
async function changesTo(tx: Tx, eventId: number, changed: readonly ChangedScan[]): Promise<Statement[]> {
  if (changed.length === 0) return [];
  await lockDoor(eventId).execute(tx);
  return changeStates(eventId, changed, await newChangeIds(tx, changed.length));
}

function decideScan(entrance: Entrance, parsed: ParsedEntry, ticket: AdmissibleTicket | undefined): NewScan {
  const scan = undecidedScan(parsed, ticket);
  const { result, session, used } = entrance.decide(scan, ticket, parsed.entry.sessionId);
  scan.result = result;
  scan.session_id = session?.id ?? null;
  scan.used_at = used?.at ?? null;
  scan.used_gate = used?.gate ?? null;
  return scan;
}

/** The first entry of a ticket in a session. Returns null for other scans, and if an earlier entry arrived late and replaced the known one. */
function checkinChange(eventId: number, { ticket: { ticketId, codeId }, before, admission }: AdmissionSlot, at: Date): NewChange | null {
  if (before || !admission) return null;
  const subject = ticketId === null ? ({ kind: 'code', id: codeId ?? 0 } as const) : ({ kind: 'ticket', id: ticketId } as const);
  return { eventId, type: 'ticket.checked_in', subject, part: admission.nonce, at };
}

const changeOf = (eventId: number, results: readonly CheckinResult[]) => ({
  subject: 'checkins' as const,
  id: eventId,
  eventId,
  after: { entries: results.length, admitted: results.filter(({ result }) => result === 'admitted').length },
});

const undecidedScan = ({ request, entry, at }: ParsedEntry, ticket: AdmissibleTicket | undefined): NewScan => ({
  nonce: entry.nonce,
  ticket_id: ticket?.ticketId ?? null,
  external_code_id: ticket?.codeId ?? null,
  item_id: ticket?.itemId ?? null,
  session_id: null,
  at,
  direction: entry.direction ?? 'in',
  gate: entry.gate ?? null,
  device: entry.device,
  user_id: request.act.actor.kind === 'user' ? request.act.actor.id : null,
  result: 'unknown',
  used_at: null,
  used_gate: null,
  state: 'refused',
});

/** The device that made the scan gets the stored result again. Another device gets `unknown`, so that it cannot reuse an admission. */
const repeatScan = (logged: NewScan, parsed: ParsedEntry): NewScan =>
  logged.device === parsed.entry.device ? logged : undecidedScan(parsed, undefined);

function toResult({ items, sessions }: DoorFacts, scan: NewScan, ticket: AdmissibleTicket | undefined): CheckinResult {
  const item = scan.item_id === null ? undefined : items.get(scan.item_id);
  return {
    nonce: scan.nonce,
    result: scan.result,
    note: scan.result === 'refunded' && ticket?.refunded === false ? 'disputed' : null,
    used: scan.used_at === null ? null : { at: new Date(scan.used_at).toISOString(), gate: scan.used_gate },
    holder: scan.item_id === null ? null : (ticket?.holder ?? null),
    itemId: scan.item_id,
    item: item?.name ?? null,
    halfPrice: item?.halfPrice ?? false,
    sessionId: scan.session_id,
    session: scan.session_id === null ? null : (sessions.get(scan.session_id)?.name ?? null),
  };
}
