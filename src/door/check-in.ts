import { useCodes } from '../codes/use-codes.ts';
import { lockDoor } from '../events/lock-event.ts';
import type { Act } from '../kernel/act.ts';
import { Problem } from '../kernel/problem.ts';
import { recordAll } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { byIndex, runPipeline, sendWithCommit } from '../postgres/pipeline.ts';
import { type ReadCode, readCode } from '../tickets/ticket-code.ts';
import { publicKeysOf } from '../tickets/ticket-keys.ts';
import type { UndoOf } from './admission.ts';
import type { CheckinResult, Entry } from './contract.ts';
import { itemsOf, sessionsOf } from './door-facts.sql.ts';
import { createEntrance, placeKey, type Scanned } from './entrance.ts';
import type { Subject } from './examine.ts';
import { readTimes } from './scan-times.ts';
import { changeState, insertDoorSessions, insertScans, type NewScan } from './scans.sql.ts';
import { admissionsOf, notInside, undosOf } from './state.ts';
import { markNow, refuseOvertaken } from './subjects.sql.ts';
import { type Asked, DoorFacts, importedOf, lockedCodes, type ReadText, ticketsOf, toAsk, toText } from './subjects.ts';

export interface CheckinRequest {
  act: Act;
  eventId: number;
  entries: readonly Entry[];
}

interface Checkins {
  results: CheckinResult[];
}

/** One entry of some request, with its time and code read. */
interface Reading {
  request: CheckinRequest;
  entry: Entry;
  at: number;
  code: ReadCode | null;
}

interface Before {
  subjects: Map<ReadText, Subject>;
  /** By place. */
  inside: Map<string, Scanned>;
  undos: UndoOf[];
  /** Which of the scans are known, as they were told, by `scanKey`. */
  log: Map<string, NewScan>;
}

/** A nonce is for one scan of one ticket or code: with another it is another scan. */
const scanKey = (nonce: string, ticketId: number | null, codeId: number | null): string => `${nonce} ${ticketId ?? ''} ${codeId ?? ''}`;

/** Many requests in one transaction; in the order of their events, so that no two can wait for each other. */
export async function makeCheckins(tx: Tx, requests: readonly CheckinRequest[], again: boolean): Promise<(Checkins | Problem)[]> {
  const outcomes = new Map<CheckinRequest, Checkins | Problem>();
  for (const eventId of [...new Set(requests.map((request) => request.eventId))].toSorted((a, b) => a - b)) {
    const ofEvent = requests.filter((request) => request.eventId === eventId);
    const readings = ofEvent.flatMap((request) => {
      const times = readTimes(request.entries, request.act.at);
      outcomes.set(request, times instanceof Problem ? times : { results: [] });
      return times instanceof Problem ? [] : readEntries(request, times);
    });
    for (const [request, results] of await enter(tx, eventId, readings, again)) outcomes.set(request, { results });
  }
  return requests.map((request) => outcomes.get(request) as Checkins | Problem);
}

const readEntries = (request: CheckinRequest, times: readonly number[]): Reading[] =>
  request.entries.map((entry, i) => ({ request, entry, at: times[i] ?? 0, code: readCode(entry.code) }));

async function enter(tx: Tx, eventId: number, readings: readonly Reading[], again: boolean): Promise<Map<CheckinRequest, CheckinResult[]>> {
  if (readings.length === 0) return new Map();
  const state = await readState(tx, eventId, readings, again);
  const { facts, texts, subjects, entrance, log } = state;
  const scans: NewScan[] = [];
  const results = new Map<CheckinRequest, CheckinResult[]>(readings.map(({ request }) => [request, []]));
  for (const [i, reading] of readings.entries()) {
    const subject = subjects.get(texts[i] as ReadText);
    const key = scanKey(reading.entry.nonce, subject?.ticketId ?? null, subject?.codeId ?? null);
    const known = log.get(key);
    const told = known ? asBefore(known, reading) : decide(entrance, reading, subject);
    if (!known) {
      log.set(key, told);
      scans.push(told);
    }
    results.get(reading.request)?.push(describe(facts, told, subject));
  }
  await write(tx, eventId, state, scans, results);
  return results;
}

/**
 * What the codes stand for, and what was decided before. Mostly nobody was scanned by these: then nobody else is kept waiting while it is
 * read and decided, and whether it is still so is seen when it is written. If not, it is done `again`.
 */
async function readState(tx: Tx, eventId: number, readings: readonly Reading[], again: boolean) {
  const claimed = toAskFor(readings, ({ entry, code }) => toAsk(eventId, entry.code, code));
  const { facts, before } = await readUnlocked(tx, eventId, claimed);
  const texts = await Promise.all(readings.map(({ entry, code }) => toText(facts, entry.code, code)));
  // Of a code that only claims to be ours nothing was asked yet.
  const isForged = readings.some(({ code }, i) => code?.claim.eventId === eventId && typeof texts[i] === 'string');
  const first = again || isForged ? null : before;
  const asked = first ? claimed : toAskFor(readings, (_, i) => texts[i] as ReadText);
  const { subjects, inside, undos, log } = first ?? (await readLocked(tx, eventId, facts, asked));
  return { facts, texts, subjects, entrance: createEntrance(inside, undos), log, asked, firstSeen: first !== null };
}

function toAskFor(readings: readonly Reading[], textOf: (reading: Reading, i: number) => ReadText): Asked {
  const texts = [...new Set(readings.map(textOf))];
  return {
    ids: texts.filter((text) => typeof text === 'number'),
    codes: texts.filter((text) => typeof text === 'string'),
    nonces: readings.map(({ entry }) => entry.nonce),
  };
}

/** Everything in one journey, with what the codes say of themselves; `before` is null when it cannot be told without a lock. */
async function readUnlocked(tx: Tx, eventId: number, { ids, codes, nonces }: Asked): Promise<{ facts: DoorFacts; before: Before | null }> {
  const [, keys, sessions, items, , tickets, imported, admissions, others] = await runPipeline(tx, [
    byIndex,
    publicKeysOf(eventId),
    sessionsOf(eventId),
    itemsOf(eventId),
    { statements: [markNow(eventId)], read: () => null },
    ticketsOf(eventId, ids),
    importedOf(eventId, codes),
    admissionsOf(eventId, { ticketIds: ids, codeIds: [] }),
    notInside(eventId, nonces),
  ]);
  const facts = new DoorFacts(keys, sessions, items);
  const isNew = imported(facts).length === 0 && admissions.length === 0 && others.length === 0;
  return { facts, before: isNew ? { subjects: new Map(tickets(facts)), inside: new Map(), undos: [], log: new Map() } : null };
}

/** What is read after the lock stays as it is; also a ticket that its buyer withdraws from. */
async function readLocked(tx: Tx, eventId: number, facts: DoorFacts, { ids, codes, nonces }: Asked): Promise<Before> {
  const [, , tickets, imported, ofTickets, undos, others] = await runPipeline(tx, [
    { statements: [lockDoor(eventId)], read: () => null },
    lockedCodes(eventId, codes),
    ticketsOf(eventId, ids),
    importedOf(eventId, codes),
    admissionsOf(eventId, { ticketIds: ids, codeIds: [] }),
    undosOf(eventId, nonces),
    notInside(eventId, nonces),
  ]);
  const ofCodes = imported(facts);
  const [ofImported] = await runPipeline(tx, [admissionsOf(eventId, idsOf(ofCodes))]);
  const admissions = [...ofTickets, ...ofImported];
  return {
    subjects: new Map([...tickets(facts), ...ofCodes]),
    inside: new Map(admissions.map((scan) => [placeKey(scan.ticket_id, scan.external_code_id, scan.session_id), scan])),
    undos,
    log: new Map([...admissions, ...others].map((scan) => [scanKey(scan.nonce, scan.ticket_id, scan.external_code_id), scan])),
  };
}

const idsOf = (imported: readonly [ReadText, Subject][]) => ({
  ticketIds: imported.flatMap(([, { ticketId }]) => ticketId ?? []),
  codeIds: imported.flatMap(([, { codeId }]) => codeId ?? []),
});

type Decided = Awaited<ReturnType<typeof readState>>;
type Entrance = Decided['entrance'];

async function write(
  tx: Tx,
  eventId: number,
  { subjects, entrance, asked, firstSeen }: Decided,
  scans: readonly NewScan[],
  results: ReadonlyMap<CheckinRequest, CheckinResult[]>,
): Promise<void> {
  const displaced = entrance.displaced();
  const places = entrance.places();
  const sessionIds = [...new Set(places.flatMap(({ session }) => session?.id ?? []))];
  const codes = places.flatMap(({ subject }) => subject.importedCodeId ?? []);
  const acts = [...results].map(([{ act }, ofRequest]) => ({ act, change: changeOf(eventId, ofRequest) }));
  const receivedAt = acts[0]?.act.at;
  if (!receivedAt) return;
  const good = asked.ids.filter((id) => subjects.get(id)?.refunded === false);
  await sendWithCommit(tx, [
    ...(firstSeen ? [lockDoor(eventId)] : []),
    ...(displaced.length > 0 ? [changeState(eventId, displaced, 'double')] : []),
    insertScans(eventId, receivedAt, scans),
    ...(codes.length > 0 ? [useCodes(codes)] : []),
    ...(sessionIds.length > 0 ? [insertDoorSessions(eventId, sessionIds)] : []),
    ...recordAll(acts),
    ...(firstSeen ? [refuseOvertaken(eventId, good, asked.nonces)] : []),
  ]);
}

function decide(entrance: Entrance, reading: Reading, subject: Subject | undefined): NewScan {
  const scan = toScan(reading, subject);
  const { result, session, used } = entrance.scan(scan, subject, reading.entry.sessionId);
  scan.result = result;
  scan.session_id = session?.id ?? null;
  scan.used_at = used?.at ?? null;
  scan.used_gate = used?.gate ?? null;
  return scan;
}

const changeOf = (eventId: number, results: readonly CheckinResult[]) => ({
  subject: 'checkins' as const,
  id: eventId,
  eventId,
  after: { entries: results.length, admitted: results.filter(({ result }) => result === 'admitted').length },
});

/** As long as nothing is decided. */
const toScan = ({ request, entry, at }: Reading, subject: Subject | undefined): NewScan => ({
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

/** What was told stands, but for this device only: nobody opens a gate with what another was told. */
const asBefore = (known: NewScan, reading: Reading): NewScan =>
  known.device === reading.entry.device ? known : toScan(reading, undefined);

function describe({ items, sessions }: DoorFacts, scan: NewScan, subject: Subject | undefined): CheckinResult {
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
