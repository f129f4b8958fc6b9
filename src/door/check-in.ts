import { useCodes } from '../codes/use-codes.ts';
import type { Act } from '../kernel/act.ts';
import { Problem } from '../kernel/problem.ts';
import { ticketCheckingKeys } from '../orders/ticket-keys.ts';
import { recordAll } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { together } from '../postgres/together.ts';
import type { CheckinResult, Entry } from './contract.ts';
import { selectItems, selectSessions } from './door-facts.sql.ts';
import { createEntrance, type Told } from './entrance.ts';
import type { Subject } from './examine.ts';
import { readTimes } from './scan-times.ts';
import {
  insertDoorSessions,
  insertDoubles,
  insertScans,
  type LoggedScan,
  lockDoor,
  type NewScan,
  putAdmissions,
  selectScans,
  selectUndos,
} from './scans.sql.ts';
import { type DoorFacts, findSubjects, type ReadText, readText } from './subjects.ts';

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
  const keys = await ticketCheckingKeys(tx, eventId);
  const sessions = await selectSessions(tx, eventId);
  const items = await selectItems(tx, eventId);
  return { keys, sessions: new Map(sessions.map((each) => [each.id, each])), items: new Map(items.map((each) => [each.id, each])) };
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
  await lockDoor(tx, eventId);
  const nonces = readings.map(({ entry }) => entry.nonce);
  const earlier = await selectScans(tx, eventId, nonces);
  const undos = await selectUndos(tx, eventId, nonces);
  const subjects = await findSubjects(
    tx,
    eventId,
    facts,
    readings.map(({ text }) => text),
  );
  const entrance = createEntrance(undos.map(({ undoes, at, device }) => ({ undoes, at: at.getTime(), device })));
  const log = new Map<string, LoggedScan>(earlier.map((row) => [row.nonce, row]));
  const scans: NewScan[] = [];
  const results = new Map<CheckinRequest, CheckinResult[]>();
  for (const reading of readings) {
    const subject = subjects.get(reading.text);
    let logged = log.get(reading.entry.nonce);
    if (!logged) {
      const scan = toScan(reading, subject, tell(entrance, reading, subject));
      log.set(scan.nonce, scan);
      scans.push(scan);
      logged = scan;
    }
    const ofRequest = results.get(reading.request) ?? [];
    results.set(reading.request, ofRequest);
    ofRequest.push(describe(facts, logged, subject));
  }
  const [admissions, doubles, codes] = [entrance.admissions(), entrance.doubles(), entrance.usedCodes()];
  await together(tx, [
    ...(scans.length > 0 ? [insertScans(eventId, first.request.act.at, scans)] : []),
    ...(admissions.length > 0 ? [putAdmissions(eventId, admissions)] : []),
    ...(doubles.length > 0 ? [insertDoubles(eventId, doubles)] : []),
    ...(codes.length > 0 ? [useCodes(codes)] : []),
    insertDoorSessions(eventId, entrance.sessionIds()),
    ...recordAll([...results].map(([{ act }, ofRequest]) => ({ act, change: changeOf(eventId, ofRequest) }))),
  ]);
  return results;
}

const tell = (entrance: ReturnType<typeof createEntrance>, { entry, at }: Reading, subject: Subject | undefined): Told =>
  entrance.scan({ nonce: entry.nonce, at, device: entry.device, gate: entry.gate ?? null, sessionId: entry.sessionId }, subject);

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
  at: new Date(at),
  gate: entry.gate ?? null,
  device: entry.device,
  user_id: request.act.actor.kind === 'user' ? request.act.actor.id : null,
  result,
  used_at: used && new Date(used.at),
  used_gate: used?.gate ?? null,
});

/** As it was told the first time. A nonce that comes again with another code says nothing about that code. */
function describe({ items, sessions }: DoorFacts, scan: LoggedScan, subject: Subject | undefined): CheckinResult {
  const same = subject?.ticketId === scan.ticket_id && subject?.codeId === scan.external_code_id;
  const item = scan.item_id === null ? undefined : items.get(scan.item_id);
  return {
    nonce: scan.nonce,
    result: scan.result,
    used: scan.used_at && { at: scan.used_at.toISOString(), gate: scan.used_gate },
    holder: same ? subject.holder : null,
    itemId: scan.item_id,
    item: item?.name ?? null,
    halfPrice: item?.halfPrice ?? false,
    sessionId: scan.session_id,
    session: scan.session_id === null ? null : (sessions.get(scan.session_id)?.name ?? null),
  };
}
