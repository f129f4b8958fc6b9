import { type DirectedScan, maxEntries, settle } from '../../src/door/admission.ts';
import type { CheckinResult, ScanResult } from '../../src/door/contract.ts';
import { type AdmissibleTicket, checkValidity } from '../../src/door/scan-validity.ts';
import type { DoorSession } from '../../src/door/session-window.ts';
import { readCode } from '../../src/tickets/read-code.ts';
import { codeHash, readShortCode, shortHash } from './code-hash.ts';
import { type Admission, type DoorManifest, type ManifestSession, type ManifestTicket, slotKey } from './manifest.ts';
import { isSignedBy } from './verify-signature.ts';

/** What the device decides by itself. The fields are those of the server; the manifest contains no names. */
export interface LocalDecision {
  result: ScanResult;
  note: CheckinResult['note'];
  /** Time and gate of the last entry, if the ticket was used. */
  used: { at: number; gate: string | null } | null;
  ticketId: number | null;
  codeId: number | null;
  itemId: number | null;
  item: string | null;
  halfPrice: boolean;
  sessionId: number | null;
  session: string | null;
}

/** Finds the ticket of a scanned or typed text: a signed code, an imported code, or a short code. */
export async function findTicket(manifest: DoorManifest, text: string): Promise<ManifestTicket | undefined> {
  const { eventId, keys, codeSalt } = manifest.facts;
  const code = readCode(text);
  if (code?.claim.eventId === eventId && (await isSignedBy(keys, code))) return manifest.ticket(code.claim.ticketId);
  const imported = manifest.byCodeHash(await codeHash(codeSalt, text));
  const short = imported ? null : readShortCode(text);
  return short === null ? imported : manifest.byShortHash(await shortHash(codeSalt, short));
}

const toDoorSession = ({ id, name, startsAt, finishesAt }: ManifestSession): DoorSession => ({
  id,
  name,
  startsAt: Date.parse(startsAt),
  finishesAt: Date.parse(finishesAt),
});

function toAdmissible(manifest: DoorManifest, ticket: ManifestTicket): AdmissibleTicket {
  const { sessions, disputedTickets } = manifest.facts;
  const ofItem = manifest.item(ticket.itemId)?.sessionIds ?? [];
  const ids = [ticket.sessionIds, ofItem].find((list) => list.length > 0) ?? sessions.map(({ id }) => id);
  return {
    ticketId: ticket.ticketId,
    codeId: ticket.codeId,
    importedCodeId: null,
    itemId: ticket.itemId,
    holder: null,
    refunded: ticket.refunded,
    refusedAsDisputed: ticket.disputed && disputedTickets === 'refuse',
    sessions: sessions.filter(({ id }) => ids.includes(id)).map(toDoorSession),
  };
}

/** A scan of this device that counted. The manifest may not contain it yet, or not know yet that it was undone. */
export interface OwnScan extends DirectedScan {
  gate: string;
  undone: boolean;
}

interface KnownScan extends DirectedScan {
  gate: string | null;
}

/** Scans that lead to what the manifest says: entries with an exit after each, except after the last if the guest is inside. */
function knownScans({ at, gate, inside, entries }: Admission): KnownScan[] {
  return Array.from({ length: entries }, (_, i): KnownScan[] => {
    const scan = { at: at - (entries - 1 - i), gate, device: '' };
    const entry: KnownScan = { ...scan, nonce: 'a', direction: 'in' };
    return inside && i === entries - 1 ? [entry] : [entry, { ...scan, nonce: 'b', direction: 'out' }];
  }).flat();
}

/** All scans of a ticket in a session that the device knows. Own scans up to the last entry of the manifest are part of the manifest. */
function scansOfSlot(known: Admission | undefined, own: readonly OwnScan[]): KnownScan[] {
  const isUndone = known && own.some(({ undone, direction, at }) => undone && direction === 'in' && at === known.at);
  const current = isUndone ? { ...known, inside: false, entries: known.entries - 1 } : known;
  return [...(current ? knownScans(current) : []), ...own.filter(({ undone, at }) => !undone && !(known && at <= known.at))];
}

interface Verdict {
  result: ScanResult;
  used: { at: number; gate: string | null } | null;
}

/** The same rule as `createEntrance` of the server: does the scan add an entry or an exit to what is known? */
function decideSlot(reentry: keyof typeof maxEntries, scans: readonly KnownScan[], at: number, direction: 'in' | 'out'): Verdict {
  if (direction === 'out' && reentry === 'none') return { result: 'not_allowed', used: null };
  const limit = maxEntries[reentry];
  const before = settle(scans, limit);
  const after = settle([...scans, { at, direction, device: '', nonce: 'c', gate: null }], limit);
  if (direction === 'out') return { result: after.exits > before.exits ? 'exited' : 'not_inside', used: null };
  if (after.entries > before.entries) return { result: 'admitted', used: null };
  return { result: 'already_used', used: before.lastEntry && { at: before.lastEntry.at, gate: before.lastEntry.gate } };
}

/** Decides a scan with the rules of the server. `ownScans` returns the scans of this device for a ticket in a session. */
export function decide(
  manifest: DoorManifest,
  ticket: ManifestTicket | undefined,
  scan: { at: number; sessionId: number | undefined; direction: 'in' | 'out' },
  ownScans: (slot: string) => readonly OwnScan[],
): LocalDecision {
  const admissible = ticket && toAdmissible(manifest, ticket);
  const { session, verdict } = checkValidity(admissible, scan.at, scan.sessionId);
  const item = ticket && manifest.item(ticket.itemId);
  const slot = slotKey(ticket?.ticketId ?? null, ticket?.codeId ?? null, session?.id ?? null);
  const decided: Verdict =
    verdict === 'valid'
      ? decideSlot(manifest.facts.reentry, scansOfSlot(manifest.admission(slot), ownScans(slot)), scan.at, scan.direction)
      : { result: verdict, used: null };
  return {
    ...decided,
    note: verdict === 'refunded' && admissible?.refunded === false ? 'disputed' : null,
    ticketId: ticket?.ticketId ?? null,
    codeId: ticket?.codeId ?? null,
    itemId: ticket?.itemId ?? null,
    item: item?.name ?? null,
    halfPrice: item?.halfPrice ?? false,
    sessionId: session?.id ?? null,
    session: session?.name ?? null,
  };
}
