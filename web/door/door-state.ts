import type { Counters } from '../../src/door/counters-contract.ts';
import type { Answer } from './answer.ts';
import type { DoorInfo } from './api.ts';
import type { ScanRow } from './scan-log.ts';
import type { Choice } from './settings.ts';

export interface DoorState {
  stage: 'starting' | 'signIn' | 'choose' | 'scan';
  userName: string | null;
  /** The app was paired with a token instead of a sign-in. */
  isDevice: boolean;
  choice: Choice | null;
  info: DoorInfo | null;
  /** Since when the server cannot be reached. */
  offlineSince: number | null;
  /** The time of the manifest by the clock of the server. Null: there is none. */
  manifestAt: number | null;
  /** How many tickets were downloaded so far, during a complete download. */
  downloading: number | null;
  answer: Answer | null;
  /** The last scans, the newest first. */
  recent: Answer[];
  undone: ReadonlySet<string>;
  counters: Counters | null;
  counts: { inside: number; expected: number } | null;
  /** How many rows of the log were not sent yet. */
  waiting: number;
  attention: ScanRow[];
  /** What the steward must do before the app works fully again. */
  trouble: 'revoked' | 'signedOut' | 'storageFull' | null;
  direction: 'in' | 'out';
  silent: boolean;
}

export const initialState: DoorState = {
  stage: 'starting',
  userName: null,
  isDevice: false,
  choice: null,
  info: null,
  offlineSince: null,
  manifestAt: null,
  downloading: null,
  answer: null,
  recent: [],
  undone: new Set(),
  counters: null,
  counts: null,
  waiting: 0,
  attention: [],
  trouble: null,
  direction: 'in',
  silent: false,
};
