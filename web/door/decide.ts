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
  used: Admission | null;
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

/** An entry that this device has made. The manifest may not contain it yet, or not know yet that it was undone. */
export interface OwnAdmission extends Admission {
  undone: boolean;
}

function currentAdmission(known: Admission | undefined, own: OwnAdmission | undefined): Admission | null {
  if (known && !(own?.undone && own.at === known.at)) return known;
  return own && !own.undone ? own : null;
}

/** Decides a scan with the rules of the server. `ownAdmission` returns the entry of this device for a ticket in a session. */
export function decide(
  manifest: DoorManifest,
  ticket: ManifestTicket | undefined,
  scan: { at: number; sessionId: number | undefined },
  ownAdmission: (slot: string) => OwnAdmission | undefined,
): LocalDecision {
  const admissible = ticket && toAdmissible(manifest, ticket);
  const { session, verdict } = checkValidity(admissible, scan.at, scan.sessionId);
  const item = ticket && manifest.item(ticket.itemId);
  const slot = slotKey(ticket?.ticketId ?? null, ticket?.codeId ?? null, session?.id ?? null);
  const used = verdict === 'valid' ? currentAdmission(manifest.admission(slot), ownAdmission(slot)) : null;
  return {
    result: verdict === 'valid' ? (used ? 'already_used' : 'admitted') : verdict,
    note: verdict === 'refunded' && admissible?.refunded === false ? 'disputed' : null,
    used,
    ticketId: ticket?.ticketId ?? null,
    codeId: ticket?.codeId ?? null,
    itemId: ticket?.itemId ?? null,
    item: item?.name ?? null,
    halfPrice: item?.halfPrice ?? false,
    sessionId: session?.id ?? null,
    session: session?.name ?? null,
  };
}
