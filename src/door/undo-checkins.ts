import { giveBackCodes } from '../codes/use-codes.ts';
import { lockDoor } from '../events/lock-event.ts';
import type { Act } from '../kernel/act.ts';
import { Problem } from '../kernel/problem.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { type Statement, together } from '../postgres/together.ts';
import { judgeUndo, type Scan, settle, type UndoOf } from './admission.ts';
import type { Undo, UndoResult } from './contract.ts';
import { readTimes } from './scan-times.ts';
import {
  changeState,
  insertUndos,
  type LoggedScan,
  scansByNonce,
  selectCounted,
  selectFreeCodes,
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
  await together(tx, [insertUndos(eventId, act.at, fresh)]);
  const undos = new Map((await selectUndosByNonce(tx, eventId, nonces)).map((row) => [row.nonce, { ...row, at: row.at.getTime() }]));
  const undoing = [...undos.values()].map(({ undoes }) => undoes);
  const { rows: scans } = await scansByNonce(eventId, undoing).execute(tx);
  const scanOf = new Map(scans.map((scan) => [scan.nonce, toTimed(scan)]));
  const judge = (undo: UndoOf) => judgeUndo(undo, scanOf.get(undo.undoes));
  const undone = [...undos.values()].filter((undo) => judge(undo) === 'undone').map(({ undoes }) => undoes);
  await takeOut(tx, eventId, new Set(undone));
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

async function takeOut(tx: Tx, eventId: number, undone: ReadonlySet<string>): Promise<void> {
  if (undone.size === 0) return;
  const bySubject = new Map<string, TimedScan[]>();
  for (const scan of (await selectCounted(tx, eventId, [...undone])).map(toTimed)) {
    const subject = `${scan.ticket_id} ${scan.external_code_id} ${scan.session_id}`;
    bySubject.set(subject, [...(bySubject.get(subject) ?? []), scan]);
  }
  const [out, inside]: [string[], string[]] = [[], []];
  for (const scans of bySubject.values()) {
    const after = settle(scans.filter(({ nonce }) => !undone.has(nonce))).admission;
    if (after && after !== settle(scans).admission) inside.push(after.nonce);
    out.push(...scans.map(({ nonce }) => nonce).filter((nonce) => undone.has(nonce)));
  }
  await changeState(eventId, out, 'undone').execute(tx);
  await changeState(eventId, inside, 'inside').execute(tx);
  await together(tx, await freeCodes(tx, eventId, [...undone]));
}

async function freeCodes(tx: Tx, eventId: number, nonces: readonly string[]): Promise<Statement[]> {
  const codes = await selectFreeCodes(tx, eventId, nonces);
  const ids = (ofTicket: boolean) => codes.filter(({ of_ticket }) => of_ticket === ofTicket).map(({ id }) => id);
  return codes.length === 0 ? [] : [giveBackCodes(ids(true), 'ticket'), giveBackCodes(ids(false), 'nobody')];
}
