import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { type Act, callerKey } from '../kernel/act.ts';
import { Problem } from '../kernel/problem.ts';
import type { Tx } from '../postgres/database.ts';
import { countOldRows, deleteOldRows } from '../postgres/delete-old-rows.ts';
import { type Statement, sendWithCommit } from '../postgres/pipeline.ts';
import {
  deleteKeys,
  insertKeys,
  type KeyRow,
  type KeyWithResponse,
  keysBefore,
  type StoredResponse,
  selectKeys,
  updateResponses,
} from './idempotency.sql.ts';
import { decodeResponse, encodeResponse, type HttpResponse } from './stored-response.ts';

const keptDays = 7;
const anonymousRefusalDays = 1;

export interface IdempotentRequest {
  key: string;
  method: string;
  url: string;
  bodyHash: string | null;
  /**
   * The credential of an order that is not in the URL, or the cookie of a session. Without it, whoever knows the key of a caller would get
   * the stored response.
   */
  credential: string | null;
}

/**
 * The claim of an idempotency key, in the transaction of the request. `earlier` is the stored response if the key was used before, else
 * null. `store` stores the response of this request.
 */
export interface Claim {
  earlier: HttpResponse | null;
  store(sent: HttpResponse): Promise<void>;
}

/** Responses that ask the client to retry (428, 429, 5xx) are not stored, so that the retry is executed. */
export const isStored = ({ status }: Pick<HttpResponse, 'status'>): boolean => status < 500 && status !== 428 && status !== 429;

export function readKey(header: string | string[] | undefined): string | null {
  if (header === undefined) return null;
  if (typeof header === 'string' && /^[\x21-\x7e]{1,255}$/.test(header)) return header;
  const message = 'must be 1 to 255 visible ASCII characters';
  throw new Problem('invalid_input', `Idempotency-Key ${message}`, {
    errors: [{ in: 'header', field: 'Idempotency-Key', code: 'pattern', message }],
  });
}

function rowOf({ actor }: Act, { key, method, url, bodyHash, credential }: IdempotentRequest): KeyRow {
  return {
    caller: callerKey(actor),
    key_hash: sha256(key),
    fingerprint: sha256(JSON.stringify([method, url, bodyHash, credential])),
  };
}

export async function claimKey(tx: Tx, act: Act, request: IdempotentRequest): Promise<Claim> {
  const row = rowOf(act, request);
  const seal = sealFor(request.key, row);
  const store = (sent: HttpResponse) => sendWithCommit(tx, storeStatements([{ act, row, seal, sent }]));
  if ((await insertKeys(tx, [row], act.at)).length === 1) return { earlier: null, store };

  const [known] = await selectKeys(tx, [row]);
  const earlier = readEarlier(known, row, seal);
  if (earlier instanceof Problem) throw earlier;
  return { earlier, store };
}

interface ClaimableRequest {
  act: Act;
  idempotency: IdempotentRequest | null;
}

/** The claims of a batch. `earlier` has the stored response of each repeated request, or a problem if the key was used for a different request. */
export interface Claims<O> {
  earlier: Map<O, HttpResponse | Problem>;
  store(sent: ReadonlyMap<O, HttpResponse>): Promise<void>;
}

export async function claimKeys<O extends ClaimableRequest>(tx: Tx, requests: readonly O[]): Promise<Claims<O>> {
  const claims = requests.flatMap((request) => {
    if (!request.idempotency) return [];
    const row = rowOf(request.act, request.idempotency);
    return [{ request, row, seal: sealFor(request.idempotency.key, row) }];
  });
  const earlier = new Map<O, HttpResponse | Problem>();
  const store = async (sent: ReadonlyMap<O, HttpResponse>) => {
    const answered = claims.flatMap(({ request, row, seal }) => {
      const own = sent.get(request);
      return own ? [{ act: request.act, row, seal, sent: own }] : [];
    });
    await sendWithCommit(tx, storeStatements(answered));
  };
  const [first] = claims;
  if (!first) return { earlier, store };

  const name = ({ caller, key_hash }: Pick<KeyRow, 'caller' | 'key_hash'>) => `${caller} ${key_hash.toString('base64')}`;
  const ours = new Set(
    (
      await insertKeys(
        tx,
        claims.map(({ row }) => row),
        first.request.act.at,
      )
    ).map(name),
  );
  const others = claims.filter(({ row }) => !ours.has(name(row)));
  const known =
    others.length === 0
      ? []
      : await selectKeys(
          tx,
          others.map(({ row }) => row),
        );
  const byName = new Map(known.map((row) => [name(row), row]));
  for (const { request, row, seal } of others) earlier.set(request, readEarlier(byName.get(name(row)), row, seal));
  return { earlier, store };
}

interface ClaimedResponse {
  act: Act;
  row: KeyRow;
  seal: ReturnType<typeof sealFor>;
  sent: HttpResponse;
}

/** The statements that store the responses. Keys whose response is not stored are deleted, so that they can be used again. */
function storeStatements(answered: readonly ClaimedResponse[]): Statement[] {
  const [stored, free]: [StoredResponse[], KeyRow[]] = [[], []];
  for (const { act, row, seal, sent } of answered) {
    const bytes = isStored(sent) ? encodeResponse(sent, tokenOf(act)) : null;
    if (bytes)
      stored.push({ ...row, answer: seal.close(bytes), daysLess: sent.refusal && isAnonymous(act) ? keptDays - anonymousRefusalDays : 0 });
    else free.push(row);
  }
  return [...(stored.length > 0 ? [updateResponses(stored)] : []), ...(free.length > 0 ? [deleteKeys(free)] : [])];
}

const isAnonymous = ({ actor }: Act): boolean => actor.kind === 'anonymous';
const tokenOf = ({ actor }: Act): number | null => (actor.kind === 'user' ? (actor.token?.id ?? null) : null);

function readEarlier(known: KeyWithResponse | undefined, row: KeyRow, seal: ReturnType<typeof sealFor>): HttpResponse | Problem {
  if (!known?.answer) throw new Error('An idempotency key was committed without its response');
  if (!known.fingerprint.equals(row.fingerprint))
    return new Problem(
      'idempotency_key_reused',
      'This Idempotency-Key was used for a request with another path or body. Use a new key for a new request.',
    );
  return decodeResponse(seal.open(known.answer)).sent;
}

/** Whether the caller has sent this key before. */
export async function isKeyUsed(tx: Tx, act: Act, request: IdempotentRequest): Promise<boolean> {
  return (await selectKeys(tx, [rowOf(act, request)])).length > 0;
}

/**
 * The stored response to the same request of the same caller. An API token gets only responses to its own requests, because it may have
 * fewer permissions than its owner.
 */
export async function findEarlier(tx: Tx, act: Act, request: IdempotentRequest): Promise<HttpResponse | null> {
  const row = rowOf(act, request);
  const [known] = await selectKeys(tx, [row]);
  if (!known?.answer || !known.fingerprint.equals(row.fingerprint)) return null;
  const { sent, token } = decodeResponse(sealFor(request.key, row).open(known.answer));
  return token === tokenOf(act) ? sent : null;
}

const daysBefore = (at: Date, days: number): Date => new Date(at.getTime() - days * 86_400_000);

export const countOldKeys = (tx: Tx, at: Date, days = keptDays): Promise<number> => countOldRows(tx, keysBefore(daysBefore(at, days)));

/** Deletes up to `limit` keys that are older than `days`. Returns the number of deleted keys. */
export const forgetOldKeys = (tx: Tx, at: Date, days = keptDays, limit = 1_000): Promise<number> =>
  deleteOldRows(tx, keysBefore(daysBefore(at, days)), limit);

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Stored responses contain tokens and personal data. They are encrypted with a secret derived from the key, of which only the hash is stored. */
function sealFor(key: string, { caller, fingerprint }: KeyRow) {
  const secret = Buffer.from(hkdfSync('sha256', key, fingerprint, `tessera idempotency ${caller}`, 32));
  return {
    close(bytes: Buffer): Buffer {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', secret, nonce);
      const sealed = Buffer.concat([cipher.update(bytes), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
    },
    open(bytes: Buffer): Buffer {
      const decipher = createDecipheriv('aes-256-gcm', secret, bytes.subarray(0, 12));
      decipher.setAuthTag(bytes.subarray(12, 28));
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]);
    },
  };
}
