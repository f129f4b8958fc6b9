import { requireLiveItems } from '../catalog/item-rules.ts';
import type { Act } from '../kernel/act.ts';
import { Problem, ruleViolation } from '../kernel/problem.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import type { Batch, NewBatch } from './contract.ts';
import { requireZone, trimCode } from './passkey.ts';
import { insertFreeCodes, insertPasskeyItems } from './passkeys.sql.ts';
import { readPeriod, requireStartFromToday } from './period.ts';
import { randomCodes } from './random-codes.ts';

const maxClashesShown = 100;

/** A link connects one code with one item. */
const maxLinks = 500_000;
/**
 * More links are inserted with several statements, because checking their foreign keys in one statement could exceed the statement timeout.
 */
const linksPerStatement = 100_000;

/** Creates all codes or none. Does not lock the event, so that sales and edits do not wait. */
export async function createPasskeyBatch(tx: Tx, act: Act, eventId: number, body: NewBatch): Promise<Batch> {
  const codes = readCodes(body);
  const { itemIds = [], limit = null } = body;
  if (codes.length * itemIds.length > maxLinks) {
    throw ruleViolation(
      'itemIds',
      'limit',
      `The number of codes times the number of items must not exceed ${maxLinks}. Send several smaller batches.`,
    );
  }
  const zone = await requireZone(tx, eventId);
  const { start, finish } = readPeriod(body, { start: null, finish: null }, zone);
  requireStartFromToday(body, { start, finish }, act.at, zone);
  await requireLiveItems(tx, eventId, itemIds);
  const batch = { event_id: eventId, starts_at: start, finishes_at: finish, use_limit: limit, at: act.at };
  const created = await insertFreeCodes(tx, batch, codes);
  if (created.length < codes.length) throw clash(codes, created);
  const ids = created.map(({ id }) => id);
  await link(tx, eventId, ids, itemIds);
  // The audit entry has only the range of ids, because the codes of a large batch would make the entry too large.
  const summary = { created: created.length, firstId: ids[0], lastId: ids.at(-1), itemIds, start, finish, limit };
  await record(tx, act, { subject: 'passkey_batch', id: eventId, eventId, after: summary });
  return { created: created.length, data: created.map(({ id, code }) => ({ id, passkey: code })) };
}

function readCodes({ codes, generate }: NewBatch): string[] {
  if (codes && generate === undefined) return codes.map(trimCode);
  if (!codes && generate !== undefined) return randomCodes(generate);
  const message = codes ? 'Send either codes or generate, not both.' : 'Send codes or generate.';
  const errors = [{ in: 'body' as const, field: 'codes', code: codes ? 'either' : 'required', message }];
  throw new Problem('invalid_input', message, { errors });
}

async function link(tx: Tx, eventId: number, passkeyIds: readonly number[], itemIds: readonly number[]): Promise<void> {
  if (itemIds.length === 0) return;
  const step = Math.ceil(linksPerStatement / itemIds.length);
  for (let i = 0; i < passkeyIds.length; i += step) await insertPasskeyItems(tx, eventId, passkeyIds.slice(i, i + step), itemIds);
}

/** Returns the problem with the codes that were not created. `created` has the other codes, in the order of `sent`. */
function clash(sent: readonly string[], created: readonly { code: string }[]): Problem {
  let next = 0;
  const taken = sent.filter((code) => {
    const wasCreated = created[next]?.code === code;
    if (wasCreated) next++;
    return !wasCreated;
  });
  const detail = `Nothing was created. The event already has ${taken.length} of the codes, or they are in the batch twice. Remove these codes and try again.`;
  return new Problem('already_exists', detail, { extra: { count: taken.length, clashes: taken.slice(0, maxClashesShown) } });
}
