import { giveBackCodes } from '../codes/use-codes.ts';
import { lockDoor } from '../events/lock-event.ts';
import type { Act } from '../kernel/act.ts';
import { groupBy } from '../kernel/group-by.ts';
import { Problem } from '../kernel/problem.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { executeAll, type Statement } from '../postgres/pipeline.ts';
import { type AwayChange, countAway, type EntryChange, recountUndone } from '../tickets/entry-totals.ts';
import { type DirectedScan, decideUndo, isAway, isUndone, maxEntries, type Scan, type ScanUndo, settle, undoWindow } from './admission.ts';
import type { Undo, UndoResult } from './contract.ts';
import { directionOf } from './logged-scans.ts';
import { parseTimes } from './scan-times.ts';
import {
  changeStates,
  insertUndos,
  type LoggedScanRow,
  newChangeIds,
  type SlotScanRow,
  scansWithoutAdmissionByNonce,
  selectInsideByNonce,
  selectReentry,
  selectScansOfSameSlots,
  selectUndosByNonce,
  selectUnusedCodes,
} from './scans.sql.ts';

/** Undoes scans. The other valid scans of the ticket in that session are decided again: the earliest entry becomes the admission. */
export async function undoCheckins(tx: Tx, act: Act, eventId: number, entries: readonly Undo[]): Promise<{ results: UndoResult[] }> {
  const times = parseTimes(entries, act.at);
  if (times instanceof Problem) throw times;
  await lockDoor(eventId).execute(tx);
  const undos = await storeUndos(tx, act, eventId, entries, times);
  const all = [...undos.values()];
  const scans = await findScans(tx, eventId, all);
  const decide = (undo: ScanUndo) => {
    const ofNonce = scans.filter(({ nonce }) => nonce === undo.undoes);
    return decideUndo(undo, ofNonce.find((scan) => isUndone(scan, [undo])) ?? ofNonce[0]);
  };
  const undone = all.filter((undo) => decide(undo) === 'undone').map(({ undoes }) => undoes);
  await markUndone(
    tx,
    eventId,
    scans.filter((scan) => isUndone(scan, all)).map(({ id }) => id),
  );
  await record(tx, act, { subject: 'checkins', id: eventId, eventId, after: { undone } });
  return {
    results: entries.map(({ nonce }) => {
      const undo = undos.get(nonce);
      if (!undo) throw new Error(`The undo ${nonce} was stored but cannot be found`);
      return { nonce, undoes: undo.undoes, result: decide(undo) };
    }),
  };
}

/** Stores the undos and returns them by nonce. If a nonce is already stored, it returns the undo that was stored first. */
async function storeUndos(tx: Tx, act: Act, eventId: number, entries: readonly Undo[], times: readonly number[]) {
  const nonces = entries.map(({ nonce }) => nonce);
  const known = new Set((await selectUndosByNonce(tx, eventId, nonces)).map(({ nonce }) => nonce));
  const fresh = entries.flatMap(({ nonce, undoes, device }, i) =>
    known.has(nonce) || nonces.indexOf(nonce) < i ? [] : [{ nonce, undoes, at: new Date(times[i] ?? 0), device, user_id: userOf(act) }],
  );
  await executeAll(tx, [insertUndos(eventId, act.at, fresh)]);
  const stored = await selectUndosByNonce(tx, eventId, nonces);
  return new Map(stored.map((row) => [row.nonce, { ...row, at: row.at.getTime() }]));
}

const userOf = ({ actor }: Act): number | null => (actor.kind === 'user' ? actor.id : null);

type Timed<Row> = Omit<Row, 'at'> & Scan;
type SlotScan = Timed<SlotScanRow> & DirectedScan;
const toSlotScan = (scan: SlotScanRow): SlotScan => ({ ...toTimed(scan), direction: directionOf(scan) });
const toTimed = <Row extends LoggedScanRow>(scan: Row): Timed<Row> => ({ ...scan, at: scan.at.getTime() });

/**
 * Finds the scans to undo. It first searches the admissions within the undo window. If a scan is not found there, because it is undone too
 * late or was not sent yet, it searches all admissions of the event.
 */
async function findScans(tx: Tx, eventId: number, undos: readonly ScanUndo[]): Promise<Timed<LoggedScanRow>[]> {
  const nonces = undos.map(({ undoes }) => undoes);
  const times = undos.map(({ at }) => at);
  const { rows: withoutAdmission } = await scansWithoutAdmissionByNonce(eventId, nonces).execute(tx);
  const undoable = { from: new Date(Math.min(...times) - undoWindow), to: new Date(Math.max(...times)) };
  const found = [...withoutAdmission, ...(await selectInsideByNonce(tx, eventId, nonces, undoable))];
  const known = new Set(found.map(({ nonce }) => nonce));
  const missing = nonces.filter((nonce) => !known.has(nonce));
  return [...found, ...(missing.length > 0 ? await selectInsideByNonce(tx, eventId, missing) : [])].map(toTimed);
}

async function markUndone(tx: Tx, eventId: number, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  const undone = new Set(ids);
  const limit = maxEntries[await selectReentry(tx, eventId)];
  const scans = (await selectScansOfSameSlots(tx, eventId, ids)).map(toSlotScan);
  const bySlot = groupBy(scans, ({ ticket_id, external_code_id, session_id }) => `${ticket_id} ${external_code_id} ${session_id}`);
  const changed: { id: number; state: SlotScan['state'] }[] = [];
  const [entryChanges, awayChanges]: [EntryChange[], AwayChange[]] = [[], []];
  for (const ofSlot of bySlot.values()) {
    const before = settle(ofSlot, limit);
    const after = settle(
      ofSlot.filter(({ id }) => !undone.has(id)),
      limit,
    );
    for (const scan of ofSlot) {
      const state = after.states.get(scan) ?? 'undone';
      if (state !== scan.state) changed.push({ id: scan.id, state });
    }
    if (after.admission !== before.admission) entryChanges.push(...entryChange(before.admission, -1), ...entryChange(after.admission, 1));
    awayChanges.push(...awayChange(ofSlot[0], Number(isAway(after)) - Number(isAway(before))));
  }
  await executeAll(tx, changeStates(eventId, changed, await newChangeIds(tx, changed.length)));
  await recountUndone(tx, eventId, entryChanges);
  await executeAll(tx, [...countAway(eventId, awayChanges), ...(await releaseCodes(tx, eventId, ids))]);
}

function awayChange(scan: SlotScan | undefined, by: number): AwayChange[] {
  if (!scan || scan.refunded || by === 0) return [];
  return [{ itemId: scan.item_id, sessionId: scan.session_id, by: by > 0 ? 1 : -1 }];
}

/** Scans of a refunded ticket do not count: the refund has already subtracted them. */
const entryChange = (scan: SlotScan | null, by: 1 | -1): EntryChange[] =>
  !scan || scan.refunded
    ? []
    : [
        {
          ticketId: scan.ticket_id,
          codeId: scan.external_code_id,
          itemId: scan.item_id,
          type: scan.item_type,
          sessionId: scan.session_id,
          at: scan.at,
          gate: scan.gate,
          by,
        },
      ];

async function releaseCodes(tx: Tx, eventId: number, scans: readonly number[]): Promise<Statement[]> {
  const codes = await selectUnusedCodes(tx, eventId, scans);
  const ids = (ofTicket: boolean) => codes.filter(({ of_ticket }) => of_ticket === ofTicket).map(({ id }) => id);
  return codes.length === 0 ? [] : [giveBackCodes(eventId, ids(true), 'ticket'), giveBackCodes(eventId, ids(false), 'nobody')];
}
