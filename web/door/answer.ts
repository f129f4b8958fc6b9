import type { CheckinResult, ScanResult } from '../../src/door/contract.ts';
import type { LocalDecision } from './decide.ts';
import type { ScanRow } from './scan-log.ts';

/**
 * What the steward sees about a scan. `noData`: the device has no manifest and no network. `storageFull`: the scan could not be stored, so
 * it does not count.
 */
export interface Answer {
  /** The nonce of the scan. */
  id: string;
  result: ScanResult | 'noData' | 'storageFull';
  note: CheckinResult['note'];
  holder: string | null;
  item: string | null;
  session: string | null;
  halfPrice: boolean;
  used: LocalDecision['used'];
  at: number;
  /** The device has decided, without the server. */
  offline: boolean;
}

const nothing = { note: null, holder: null, item: null, session: null, halfPrice: false, used: null, offline: true };

export const troubleAnswer = (result: 'noData' | 'storageFull', id: string, at: number): Answer => ({ id, result, at, ...nothing });

export const localAnswer = (
  { result, note, item, session, halfPrice, used }: LocalDecision,
  id: string,
  at: number,
  holder: string | null,
): Answer => ({ id, result, note, holder, item, session, halfPrice, used, at, offline: true });

export const serverAnswer = ({ nonce, result, note, holder, item, session, halfPrice, used }: CheckinResult, at: number): Answer => ({
  id: nonce,
  result,
  note,
  holder,
  item,
  session,
  halfPrice,
  used: used && { at: Date.parse(used.at), gate: used.gate },
  at,
  offline: false,
});

/** The answer of a scan in the log, as the steward saw it. Null if the app was closed before it was shown. */
export function answerOf({ shown, server, local, nonce, at }: ScanRow): Answer | null {
  if (server && server.result === shown) return serverAnswer(server, at);
  return local && shown ? localAnswer({ ...local, result: shown }, nonce, at, server?.holder ?? null) : null;
}
