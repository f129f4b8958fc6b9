import { useCodes } from '../codes/use-codes.ts';
import type { Act } from '../kernel/act.ts';
import { Problem } from '../kernel/problem.ts';
import { ticketCheckingKeys } from '../orders/ticket-keys.ts';
import { recordAll } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { byIndex, inOneJourney, lastly } from '../postgres/journey.ts';
import type { CheckinResult, Entry } from './contract.ts';
import { itemsOf, sessionsOf } from './door-facts.sql.ts';
import { createEntrance, type Place, placeKey, type Told } from './entrance.ts';
import type { Subject } from './examine.ts';
import { readTimes } from './scan-times.ts';
import {
  type AdmissionRow,
  admitWinners,
  insertDoorSessions,
  insertDoubles,
  insertScans,
  lockDoor,
  type NewScan,
  scanRows,
  updateAdmissions,
} from './scans.sql.ts';
import { admissionsOf, logOf, undosOf } from './state.ts';
import { DoorFacts, importedOf, type ReadText, readText, refundedSince, ticketsOf } from './subjects.ts';

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
  text: ReadText;
}

/** Many requests in one transaction; in the order of their events, so that no two can wait for each other. */
export async function makeCheckins(tx: Tx, requests: readonly CheckinRequest[]): Promise<(Checkins | Problem)[]> {
  const outcomes = new Map<CheckinRequest, Checkins | Problem>();
  for (const eventId of [...new Set(requests.map((request) => request.eventId))].toSorted((a, b) => a - b)) {
    const ofEvent = requests.filter((request) => request.eventId === eventId);
    const facts = await readFacts(tx, eventId);
    const readings = ofEvent.flatMap((request) => {
      const times = readTimes(request.entries, request.act.at);
      outcomes.set(request, times instanceof Problem ? times : { results: [] });
      return times instanceof Problem ? [] : readEntries(request, times, facts);
    });
    for (const [request, results] of await enter(tx, eventId, facts, readings)) outcomes.set(request, { results });
  }
  return requests.map((request) => outcomes.get(request) as Checkins | Problem);
}

async function readFacts(tx: Tx, eventId: number): Promise<DoorFacts> {
  const [, keys, sessions, items] = await inOneJourney(tx, [byIndex, ticketCheckingKeys(eventId), sessionsOf(eventId), itemsOf(eventId)]);
  return new DoorFacts(keys, sessions, items);
}

/** Before the door is locked: to check signatures takes longer than all that is done behind the lock. */
const readEntries = (request: CheckinRequest, times: readonly number[], { keys }: DoorFacts): Reading[] =>
  request.entries.map((entry, i) => ({ request, entry, at: times[i] ?? 0, text: readText(entry.code, keys) }));

async function enter(
  tx: Tx,
  eventId: number,
  facts: DoorFacts,
  readings: readonly Reading[],
): Promise<Map<CheckinRequest, CheckinResult[]>> {
  const [first] = readings;
  if (!first) return new Map();
  const state = await readState(tx, eventId, facts, readings);
  const { subjects, entrance, log } = state;
  const scans: NewScan[] = [];
  const results = new Map<CheckinRequest, CheckinResult[]>(readings.map(({ request }) => [request, []]));
  for (const reading of readings) {
    const subject = subjects.get(reading.text);
    let told = log.get(reading.entry.nonce);
    if (!told) {
      told = toScan(reading, subject, tell(entrance, reading, subject));
      log.set(told.nonce, told);
      scans.push(told);
    }
    results.get(reading.request)?.push(describe(facts, told, subject));
  }
  await write(tx, eventId, state, scans, results);
  return results;
}

/** What the codes stand for, and what was decided before: who is inside by these, and which of the scans are known. */
async function readState(tx: Tx, eventId: number, facts: DoorFacts, readings: readonly Reading[]) {
  const texts = [...new Set(readings.map(({ text }) => text))];
  const ids = texts.filter((text) => typeof text === 'number');
  const codes = texts.filter((text) => typeof text === 'string');
  const nonces = readings.map(({ entry }) => entry.nonce);
  const [tickets, , refunded, imported, ofTickets, undos, log] = await inOneJourney(tx, [
    // The most of the work, for which nobody else has to wait.
    ticketsOf(eventId, facts, ids),
    // What is read after this stays as it is; also a ticket that its buyer withdraws from.
    { statements: [lockDoor(eventId)], read: () => null },
    refundedSince(eventId, ids),
    importedOf(eventId, facts, codes),
    admissionsOf(eventId, { ticketIds: ids, codeIds: [] }),
    undosOf(eventId, nonces),
    logOf(eventId, nonces),
  ]);
  const [ofImported] = await inOneJourney(tx, [admissionsOf(eventId, idsOf(imported))]);
  const subjects = new Map([...tickets, ...imported]);
  for (const id of refunded) {
    const subject = subjects.get(id);
    if (subject) subject.refunded = true;
  }
  const known = new Map([...ofTickets, ...ofImported]);
  const inside = new Map([...known].filter(([, { undone }]) => !undone));
  return { subjects, entrance: createEntrance(inside, undos), log, known };
}

const idsOf = (imported: readonly [ReadText, Subject][]) => ({
  ticketIds: imported.flatMap(([, { ticketId }]) => ticketId ?? []),
  codeIds: imported.flatMap(([, { codeId }]) => codeId ?? []),
});

type State = Awaited<ReturnType<typeof readState>>;
type Entrance = State['entrance'];

async function write(
  tx: Tx,
  eventId: number,
  { entrance, known }: State,
  scans: NewScan[],
  results: ReadonlyMap<CheckinRequest, CheckinResult[]>,
): Promise<void> {
  const winners = entrance.winners();
  const again: AdmissionRow[] = [];
  for (const scan of scans.filter(({ nonce }) => winners.has(nonce))) {
    scan.wins = !known.has(placeKey(scan.ticket_id, scan.external_code_id, scan.session_id));
    if (!scan.wins) again.push({ ...scan, at: new Date(scan.at), undone: false });
  }
  const [places, doubles] = [entrance.places(), entrance.doubles()];
  const sessionIds = [...new Set(places.flatMap(({ session }) => session?.id ?? []))];
  const codes = places.flatMap(({ subject }) => subject.importedCodeId ?? []);
  const acts = [...results].map(([{ act }, ofRequest]) => ({ act, change: changeOf(eventId, ofRequest) }));
  const receivedAt = acts[0]?.act.at;
  if (!receivedAt) return;
  await lastly(
    tx,
    [
      insertScans(eventId, receivedAt),
      admitWinners(eventId),
      ...(again.length > 0 ? [updateAdmissions(eventId, again)] : []),
      ...(doubles.length > 0 ? [insertDoubles(eventId, doubles.map(toDouble))] : []),
      ...(codes.length > 0 ? [useCodes(codes)] : []),
      ...(sessionIds.length > 0 ? [insertDoorSessions(eventId, sessionIds)] : []),
      ...recordAll(acts),
    ],
    { scan: scanRows(scans) },
  );
}

const toDouble = ({ place: { subject, session }, nonce }: { place: Place; nonce: string }) => ({
  nonce,
  ticket_id: subject.ticketId,
  external_code_id: subject.codeId,
  session_id: session?.id ?? null,
});

const tell = (entrance: Entrance, { entry, at }: Reading, subject: Subject | undefined): Told =>
  entrance.scan({ nonce: entry.nonce, at, device: entry.device, gate: entry.gate ?? null }, subject, entry.sessionId);

const changeOf = (eventId: number, results: readonly CheckinResult[]) => ({
  subject: 'checkins',
  id: eventId,
  eventId,
  after: { entries: results.length, admitted: results.filter(({ result }) => result === 'admitted').length },
});

const toScan = ({ request, entry, at }: Reading, subject: Subject | undefined, { result, session, used }: Told): NewScan => ({
  nonce: entry.nonce,
  ticket_id: subject?.ticketId ?? null,
  external_code_id: subject?.codeId ?? null,
  item_id: subject?.itemId ?? null,
  session_id: session?.id ?? null,
  at,
  gate: entry.gate ?? null,
  device: entry.device,
  user_id: request.act.actor.kind === 'user' ? request.act.actor.id : null,
  result,
  used_at: used?.at ?? null,
  used_gate: used?.gate ?? null,
  wins: false,
});

/** As it was told the first time. A nonce that comes again with another code says nothing about that code. */
function describe({ items, sessions }: DoorFacts, scan: NewScan, subject: Subject | undefined): CheckinResult {
  const same = subject?.ticketId === scan.ticket_id && subject?.codeId === scan.external_code_id;
  const item = scan.item_id === null ? undefined : items.get(scan.item_id);
  return {
    nonce: scan.nonce,
    result: scan.result,
    used: scan.used_at === null ? null : { at: new Date(scan.used_at).toISOString(), gate: scan.used_gate },
    holder: same ? subject.holder : null,
    itemId: scan.item_id,
    item: item?.name ?? null,
    halfPrice: item?.halfPrice ?? false,
    sessionId: scan.session_id,
    session: scan.session_id === null ? null : (sessions.get(scan.session_id)?.name ?? null),
  };
}
