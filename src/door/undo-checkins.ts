import { giveBackCodes } from '../codes/use-codes.ts';
import { lockDoor } from '../events/lock-event.ts';
import type { Act } from '../kernel/act.ts';
import { Problem } from '../kernel/problem.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { executeAll, type Statement } from '../postgres/pipeline.ts';
import { isUndone, judgeUndo, type Scan, settle, type UndoOf, undoWithin } from './admission.ts';
import type { Undo, UndoResult } from './contract.ts';
import { readTimes } from './scan-times.ts';
import {
  changeState,
  insertUndos,
  type LoggedScan,
  notInsideByNonce,
  selectCounted,
  selectFreeCodes,
  selectInside,
  selectUndosByNonce,
} from './scans.sql.ts';

/** Takes scans back, each within its time; whoever else was scanned with the same ticket is the one inside then. */
export async function undoCheckins(tx: Tx, act: Act, eventId: number, entries: readonly Undo[]): Promise<{ results: UndoResult[] }> {
  const times = readTimes(entries, act.at);
  if (times instanceof Problem) throw times;
  await lockDoor(eventId).execute(tx);
  const nonces = entries.map(({ nonce }) => nonce);
  const known = new Set((await selectUndosByNonce(tx, eventId, nonces)).map(({ nonce }) => nonce));
  const fresh = entries.flatMap(({ nonce, undoes, device }, i) =>
    known.has(nonce) || nonces.indexOf(nonce) < i ? [] : [{ nonce, undoes, at: new Date(times[i] ?? 0), device, user_id: userOf(act) }],
  );
  await executeAll(tx, [insertUndos(eventId, act.at, fresh)]);
  const undos = new Map((await selectUndosByNonce(tx, eventId, nonces)).map((row) => [row.nonce, { ...row, at: row.at.getTime() }]));
  const all = [...undos.values()];
  const scans = await findScans(tx, eventId, all);
  const judge = (undo: UndoOf) => {
    const ofNonce = scans.filter(({ nonce }) => nonce === undo.undoes);
    return judgeUndo(undo, ofNonce.find((scan) => isUndone(scan, [undo])) ?? ofNonce[0]);
  };
  const undone = all.filter((undo) => judge(undo) === 'undone').map(({ undoes }) => undoes);
  await takeOut(
    tx,
    eventId,
    scans.filter((scan) => isUndone(scan, all)).map(({ id }) => id),
  );
  await record(tx, act, { subject: 'checkins', id: eventId, eventId, after: { undone } });
  return {
    results: nonces.map((nonce) => {
      const undo = undos.get(nonce);
      if (!undo) throw new Error(`An undo was stored and cannot be found: ${nonce}`);
      return { nonce, undoes: undo.undoes, result: judge(undo) };
    }),
  };
}

const userOf = ({ actor }: Act): number | null => (actor.kind === 'user' ? actor.id : null);

type TimedScan = Omit<LoggedScan, 'at'> & Scan;
const toTimed = (scan: LoggedScan): TimedScan => ({ ...scan, at: scan.at.getTime() });

/** The scans that they would take back. Only where one is taken back too late, or before it has come, is the whole log asked for it. */
async function findScans(tx: Tx, eventId: number, undos: readonly UndoOf[]): Promise<TimedScan[]> {
  const nonces = undos.map(({ undoes }) => undoes);
  const times = undos.map(({ at }) => at);
  const { rows: notInside } = await notInsideByNonce(eventId, nonces).execute(tx);
  const made = { from: new Date(Math.min(...times) - undoWithin), to: new Date(Math.max(...times)) };
  const found = [...notInside, ...(await selectInside(tx, eventId, nonces, made))];
  const known = new Set(found.map(({ nonce }) => nonce));
  const missing = nonces.filter((nonce) => !known.has(nonce));
  return [...found, ...(missing.length > 0 ? await selectInside(tx, eventId, missing) : [])].map(toTimed);
}

async function takeOut(tx: Tx, eventId: number, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  const undone = new Set(ids);
  const bySubject = new Map<string, TimedScan[]>();
  for (const scan of (await selectCounted(tx, eventId, ids)).map(toTimed)) {
    const subject = `${scan.ticket_id} ${scan.external_code_id} ${scan.session_id}`;
    bySubject.set(subject, [...(bySubject.get(subject) ?? []), scan]);
  }
  const [out, inside]: [number[], number[]] = [[], []];
  for (const scans of bySubject.values()) {
    const after = settle(scans.filter(({ id }) => !undone.has(id))).admission;
    if (after && after !== settle(scans).admission) inside.push(after.id);
    out.push(...scans.map(({ id }) => id).filter((id) => undone.has(id)));
  }
  await changeState(eventId, out, 'undone').execute(tx);
  await changeState(eventId, inside, 'inside').execute(tx);
  await executeAll(tx, await freeCodes(tx, eventId, ids));
}

async function freeCodes(tx: Tx, eventId: number, scans: readonly number[]): Promise<Statement[]> {
  const codes = await selectFreeCodes(tx, eventId, scans);
  const ids = (ofTicket: boolean) => codes.filter(({ of_ticket }) => of_ticket === ofTicket).map(({ id }) => id);
  return codes.length === 0 ? [] : [giveBackCodes(ids(true), 'ticket'), giveBackCodes(ids(false), 'nobody')];
}
