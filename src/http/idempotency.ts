import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import type { Act } from '../kernel/act.ts';
import { Problem } from '../kernel/problem.ts';
import type { Tx } from '../postgres/database.ts';
import { deleteKeysBefore, insertKey, type KeyRow, selectKey, updateAnswer } from './idempotency.sql.ts';

const keptDays = 7;

/** What was answered, as it goes over the wire. */
export interface Sent {
  status: number;
  headers: Record<string, string>;
  body: string | null;
}

export interface KeyedRequest {
  key: string;
  method: string;
  url: string;
  bodyHash: string | null;
}

/** One keyed request: `earlier` is the answer it already got, `store` keeps the one it gets now. Both in the transaction of the effect. */
export interface Claim {
  earlier: Sent | null;
  store(sent: Sent): Promise<void>;
}

export function readKey(header: string | string[] | undefined): string | null {
  if (header === undefined) return null;
  if (typeof header === 'string' && /^[\x21-\x7e]{1,255}$/.test(header)) return header;
  const message = 'must be 1 to 255 visible ASCII characters';
  throw new Problem('invalid_input', `Idempotency-Key ${message}`, {
    errors: [{ in: 'header', field: 'Idempotency-Key', code: 'pattern', message }],
  });
}

export async function claimKey(tx: Tx, act: Act, request: KeyedRequest): Promise<Claim> {
  const row: KeyRow = {
    caller: act.actor.kind === 'user' ? `user:${act.actor.id}` : 'anonymous',
    key_hash: sha256(request.key),
    fingerprint: sha256(JSON.stringify([request.method, request.url, request.bodyHash])),
  };
  const seal = sealFor(request.key, row);
  const store = (sent: Sent) => updateAnswer(tx, row, seal.close(JSON.stringify(sent)));
  if (await insertKey(tx, row, act.at)) return { earlier: null, store };

  const known = await selectKey(tx, row);
  if (!known.fingerprint.equals(row.fingerprint)) throw new Problem('idempotency_key_reused');
  if (!known.answer) throw new Error('An idempotency key was committed without its answer');
  return { earlier: JSON.parse(seal.open(known.answer)) as Sent, store };
}

export async function forgetOldKeys(tx: Tx, at: Date): Promise<number> {
  return deleteKeysBefore(tx, new Date(at.getTime() - keptDays * 86_400_000));
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Answers hold tokens and personal data. Only who sends the same key again can open them: we keep no more than its hash. */
function sealFor(key: string, { caller, fingerprint }: KeyRow) {
  const secret = Buffer.from(hkdfSync('sha256', key, fingerprint, `tessera idempotency ${caller}`, 32));
  return {
    close(text: string): Buffer {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', secret, nonce);
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
    },
    open(bytes: Buffer): string {
      const decipher = createDecipheriv('aes-256-gcm', secret, bytes.subarray(0, 12));
      decipher.setAuthTag(bytes.subarray(12, 28));
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
    },
  };
}
