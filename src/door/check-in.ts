/*
 * Most scans are the first scan of their ticket, so a batch is first decided optimistically.
 * It reads tickets and log without a lock, and decides its results while other batches of the same event do the same.
 * It then takes the lock of the event's door, writes, and fails if something changed after it was read: a refund, an undo, or another scan.
 * A batch that failed is retried, and the retry takes the lock before it reads, so that nothing can change any more.
 * Batches that cannot be decided without the lock (imported or forged codes, used tickets, repeated nonces) take it before they decide.
 */

import { useCodes } from '../codes/use-codes.ts';
import { lockDoor } from '../events/lock-event.ts';
import type { Act } from '../kernel/act.ts';
import { Problem } from '../kernel/problem.ts';
import { recordAll } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { byIndex, runPipeline, sendWithCommit } from '../postgres/pipeline.ts';
import { type ReadCode, readCode } from '../tickets/ticket-code.ts';
import { publicKeysOf } from '../tickets/ticket-keys.ts';
import type { ScanUndo } from './admission.ts';
import type { CheckinResult, Entry } from './contract.ts';
import { itemsOf, sessionsOf } from './door-facts.sql.ts';
import { createEntrance, type EntranceScan, slotKey } from './entrance.ts';
import { admissionsOf, scansNotInside, undosOf } from './logged-scans.ts';
import { parseTimes } from './scan-times.ts';
import type { Subject } from './scan-validity.ts';
import { changeState, insertDoorSessions, insertScans, type NewScan } from './scans.sql.ts';
import { failIfChanged, rememberLastChange } from './subjects.sql.ts';
import { claimedKey, DoorFacts, importedOf, type LookupKeys, lockedCodes, type SubjectKey, ticketsOf, verifiedKey } from './subjects.ts';

export interface CheckinRequest {
  act: Act;
  eventId: number;
  entries: readonly Entry[];
}

interface CheckinResponse {
  results: CheckinResult[];
}

interface ParsedEntry {
  request: CheckinRequest;
  entry: Entry;
  at: number;
  /** Null if the text is not in the format of our ticket codes. */
  code: ReadCode | null;
}

/** What the database knows about the scanned codes before this batch. */
interface StoredState {
  subjects: Map<SubjectKey, Subject>;
  /** By `slotKey`. */
  admissions: Map<string, EntranceScan>;
  undos: ScanUndo[];
  /** Scans of this batch that are in the log already, by `scanKey`. */
  log: Map<string, NewScan>;
}

/** The same nonce with another ticket or code is another scan. */
const scanKey = (nonce: string, ticketId: number | null, codeId: number | null): string => `${nonce} ${ticketId ?? ''} ${codeId ?? ''}`;

/** Handles many requests in one transaction. Events are locked in the order of their ids, so that two batches cannot deadlock. */
export async function makeCheckins(tx: Tx, requests: readonly CheckinRequest[], isRetry: boolean): Promise<(CheckinResponse | Problem)[]> {
  const responses = new Map<CheckinRequest, CheckinResponse | Problem>();
  for (const eventId of [...new Set(requests.map((request) => request.eventId))].toSorted((a, b) => a - b)) {
    const ofEvent = requests.filter((request) => request.eventId === eventId);
    const entries = ofEvent.flatMap((request) => {
      const times = parseTimes(request.entries, request.act.at);
      responses.set(request, times instanceof Problem ? times : { results: [] });
      return times instanceof Problem ? [] : parseEntries(request, times);
    });
    for (const [request, results] of await checkInAtEvent(tx, eventId, entries, isRetry)) responses.set(request, { results });
  }
  return requests.map((request) => responses.get(request) as CheckinResponse | Problem);
}

const parseEntries = (request: CheckinRequest, times: readonly number[]): ParsedEntry[] =>
  request.entries.map((entry, i) => ({ request, entry, at: times[i] ?? 0, code: readCode(entry.code) }));

async function checkInAtEvent(
  tx: Tx,
  eventId: number,
  entries: readonly ParsedEntry[],
  isRetry: boolean,
): Promise<Map<CheckinRequest, CheckinResult[]>> {
  if (entries.length === 0) return new Map();
  const batch = await loadBatch(tx, eventId, entries, isRetry);
  const { facts, keys, subjects, entrance, log } = batch;
  const newScans: NewScan[] = [];
  const results = new Map<CheckinRequest, CheckinResult[]>(entries.map(({ request }) => [request, []]));
  for (const [i, parsed] of entries.entries()) {
    const subject = subjects.get(keys[i] as SubjectKey);
    const key = scanKey(parsed.entry.nonce, subject?.ticketId ?? null, subject?.codeId ?? null);
    const logged = log.get(key);
    const scan = logged ? repeatScan(logged, parsed) : decideScan(entrance, parsed, subject);
    if (!logged) {
      log.set(key, scan);
      newScans.push(scan);
    }
    results.get(parsed.request)?.push(toResult(facts, scan, subject));
  }
  await writeBatch(tx, eventId, batch, newScans, results);
  return results;
}

/** Reads without the lock if possible, otherwise with it. `optimistic` in the result says which. */
async function loadBatch(tx: Tx, eventId: number, entries: readonly ParsedEntry[], isRetry: boolean) {
  const claimed = lookupKeysOf(entries, ({ entry, code }) => claimedKey(eventId, entry.code, code));
  const { facts, state: unlocked } = await readUnlocked(tx, eventId, claimed);
  const keys = await Promise.all(entries.map(({ entry, code }) => verifiedKey(facts, entry.code, code)));
  // A forged code was looked up by the ticket id that it claims. It must be looked up as an imported code instead.
  const hasForged = entries.some(({ code }, i) => code?.claim.eventId === eventId && typeof keys[i] === 'string');
  const optimisticState = isRetry || hasForged ? null : unlocked;
  const lookup = optimisticState ? claimed : lookupKeysOf(entries, (_, i) => keys[i] as SubjectKey);
  const { subjects, admissions, undos, log } = optimisticState ?? (await readLocked(tx, eventId, facts, lookup));
  return { facts, keys, subjects, entrance: createEntrance(admissions, undos), log, lookup, optimistic: optimisticState !== null };
}

function lookupKeysOf(entries: readonly ParsedEntry[], keyOf: (entry: ParsedEntry, i: number) => SubjectKey): LookupKeys {
  const keys = [...new Set(entries.map(keyOf))];
  return {
    ticketIds: keys.filter((key) => typeof key === 'number'),
    codes: keys.filter((key) => typeof key === 'string'),
    nonces: entries.map(({ entry }) => entry.nonce),
  };
}

/** Reads everything in one round trip. `state` is null if these scans can only be decided with the lock. */
async function readUnlocked(
  tx: Tx,
  eventId: number,
  { ticketIds, codes, nonces }: LookupKeys,
): Promise<{ facts: DoorFacts; state: StoredState | null }> {
  const [, publicKeys, sessions, items, , tickets, imported, admissions, others] = await runPipeline(tx, [
    byIndex,
    publicKeysOf(eventId),
    sessionsOf(eventId),
    itemsOf(eventId),
    { statements: [rememberLastChange(eventId)], read: () => null },
    ticketsOf(eventId, ticketIds),
    importedOf(eventId, codes),
    admissionsOf(eventId, { ticketIds, codeIds: [] }),
    scansNotInside(eventId, nonces),
  ]);
  const facts = new DoorFacts(publicKeys, sessions, items);
  const allNew = imported(facts).length === 0 && admissions.length === 0 && others.length === 0;
  return { facts, state: allNew ? { subjects: new Map(tickets(facts)), admissions: new Map(), undos: [], log: new Map() } : null };
}

/** Takes the lock first. Refunds take the same lock, so tickets cannot change after they are read. */
async function readLocked(tx: Tx, eventId: number, facts: DoorFacts, { ticketIds, codes, nonces }: LookupKeys): Promise<StoredState> {
  const [, , tickets, imported, ofTickets, undos, others] = await runPipeline(tx, [
    { statements: [lockDoor(eventId)], read: () => null },
    lockedCodes(eventId, codes),
    ticketsOf(eventId, ticketIds),
    importedOf(eventId, codes),
    admissionsOf(eventId, { ticketIds, codeIds: [] }),
    undosOf(eventId, nonces),
    scansNotInside(eventId, nonces),
  ]);
  const ofCodes = imported(facts);
  const [ofImported] = await runPipeline(tx, [admissionsOf(eventId, idsOf(ofCodes))]);
  const admissions = [...ofTickets, ...ofImported];
  return {
    subjects: new Map([...tickets(facts), ...ofCodes]),
    admissions: new Map(admissions.map((scan) => [slotKey(scan.ticket_id, scan.external_code_id, scan.session_id), scan])),
    undos,
    log: new Map([...admissions, ...others].map((scan) => [scanKey(scan.nonce, scan.ticket_id, scan.external_code_id), scan])),
  };
}

const idsOf = (imported: readonly [SubjectKey, Subject][]) => ({
  ticketIds: imported.flatMap(([, { ticketId }]) => ticketId ?? []),
  codeIds: imported.flatMap(([, { codeId }]) => codeId ?? []),
});

type Batch = Awaited<ReturnType<typeof loadBatch>>;
type Entrance = Batch['entrance'];

async function writeBatch(
  tx: Tx,
  eventId: number,
  { subjects, entrance, lookup, optimistic }: Batch,
  scans: readonly NewScan[],
  results: ReadonlyMap<CheckinRequest, CheckinResult[]>,
): Promise<void> {
  const displaced = entrance.displaced();
  const admitted = entrance.admitted();
  const sessionIds = [...new Set(admitted.flatMap(({ session }) => session?.id ?? []))];
  const codes = admitted.flatMap(({ subject }) => subject.importedCodeId ?? []);
  const acts = [...results].map(([{ act }, ofRequest]) => ({ act, change: changeOf(eventId, ofRequest) }));
  const receivedAt = acts[0]?.act.at;
  if (!receivedAt) return;
  const notRefunded = lookup.ticketIds.filter((id) => subjects.get(id)?.refunded === false);
  await sendWithCommit(tx, [
    ...(optimistic ? [lockDoor(eventId)] : []),
    ...(displaced.length > 0 ? [changeState(eventId, displaced, 'double')] : []),
    insertScans(eventId, receivedAt, scans),
    ...(codes.length > 0 ? [useCodes(codes)] : []),
    ...(sessionIds.length > 0 ? [insertDoorSessions(eventId, sessionIds)] : []),
    ...recordAll(acts),
    ...(optimistic ? [failIfChanged(eventId, notRefunded, lookup.nonces)] : []),
  ]);
}

function decideScan(entrance: Entrance, parsed: ParsedEntry, subject: Subject | undefined): NewScan {
  const scan = undecidedScan(parsed, subject);
  const { result, session, used } = entrance.decide(scan, subject, parsed.entry.sessionId);
  scan.result = result;
  scan.session_id = session?.id ?? null;
  scan.used_at = used?.at ?? null;
  scan.used_gate = used?.gate ?? null;
  return scan;
}

const changeOf = (eventId: number, results: readonly CheckinResult[]) => ({
  subject: 'checkins',
  id: eventId,
  eventId,
  after: { entries: results.length, admitted: results.filter(({ result }) => result === 'admitted').length },
});

const undecidedScan = ({ request, entry, at }: ParsedEntry, subject: Subject | undefined): NewScan => ({
  nonce: entry.nonce,
  ticket_id: subject?.ticketId ?? null,
  external_code_id: subject?.codeId ?? null,
  item_id: subject?.itemId ?? null,
  session_id: null,
  at,
  gate: entry.gate ?? null,
  device: entry.device,
  user_id: request.act.actor.kind === 'user' ? request.act.actor.id : null,
  result: 'unknown',
  used_at: null,
  used_gate: null,
  state: 'refused',
});

/** A device that sends a scan again gets the same result. Another device gets `unknown`, so that it cannot reuse an admission. */
const repeatScan = (logged: NewScan, parsed: ParsedEntry): NewScan =>
  logged.device === parsed.entry.device ? logged : undecidedScan(parsed, undefined);

function toResult({ items, sessions }: DoorFacts, scan: NewScan, subject: Subject | undefined): CheckinResult {
  const item = scan.item_id === null ? undefined : items.get(scan.item_id);
  return {
    nonce: scan.nonce,
    result: scan.result,
    used: scan.used_at === null ? null : { at: new Date(scan.used_at).toISOString(), gate: scan.used_gate },
    holder: scan.item_id === null ? null : (subject?.holder ?? null),
    itemId: scan.item_id,
    item: item?.name ?? null,
    halfPrice: item?.halfPrice ?? false,
    sessionId: scan.session_id,
    session: scan.session_id === null ? null : (sessions.get(scan.session_id)?.name ?? null),
  };
}
