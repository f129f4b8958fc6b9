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

const mostClashesShown = 100;

/** Codes times items. */
const mostLinks = 500_000;
/** In one statement, as a statement has only so much time, and the foreign keys of a link take most of it. */
const linksAtOnce = 100_000;

/** All of the codes or none of them. Nothing else of the event is locked: whoever sells or edits it meanwhile does not wait. */
export async function createPasskeyBatch(tx: Tx, act: Act, eventId: number, body: NewBatch): Promise<Batch> {
  const codes = readCodes(body);
  const { itemIds = [], limit = null } = body;
  if (codes.length * itemIds.length > mostLinks) {
    throw ruleViolation('itemIds', 'limit', `A batch makes at most ${mostLinks} links of a code to an item`);
  }
  const zone = await requireZone(tx, eventId);
  const { start, finish } = readPeriod(body, { start: null, finish: null }, zone);
  requireStartFromToday(body, { start, finish }, act.at, zone);
  await requireLiveItems(tx, eventId, itemIds);
  const batch = { event_id: eventId, starts_at: start, finishes_at: finish, use_limit: limit, at: act.at };
  const made = await insertFreeCodes(tx, batch, codes);
  if (made.length < codes.length) throw clash(codes, made);
  const ids = made.map(({ id }) => id);
  await link(tx, eventId, ids, itemIds);
  // As many codes as a batch may have would drown the log: their ids tell which they were.
  const summary = { created: made.length, firstId: ids[0], lastId: ids.at(-1), itemIds, start, finish, limit };
  await record(tx, act, { subject: 'passkey_batch', id: eventId, eventId, after: summary });
  return { created: made.length, data: made.map(({ id, code }) => ({ id, passkey: code })) };
}

function readCodes({ codes, generate }: NewBatch): string[] {
  if (codes && generate === undefined) return codes.map(trimCode);
  if (!codes && generate !== undefined) return randomCodes(generate);
  const message = codes ? 'codes and generate cannot both be given' : 'codes is required, or generate';
  const errors = [{ in: 'body' as const, field: 'codes', code: codes ? 'either' : 'required', message }];
  throw new Problem('invalid_input', message, { errors });
}

async function link(tx: Tx, eventId: number, passkeyIds: readonly number[], itemIds: readonly number[]): Promise<void> {
  if (itemIds.length === 0) return;
  const step = Math.ceil(linksAtOnce / itemIds.length);
  for (let i = 0; i < passkeyIds.length; i += step) await insertPasskeyItems(tx, eventId, passkeyIds.slice(i, i + step), itemIds);
}

/** Of the codes as they were sent those that are not among the made ones, which come in the same order. */
function clash(sent: readonly string[], made: readonly { code: string }[]): Problem {
  let next = 0;
  const taken = sent.filter((code) => {
    const wasMade = made[next]?.code === code;
    if (wasMade) next++;
    return !wasMade;
  });
  const detail = `${taken.length} of the codes are in the event already or come twice; nothing was created`;
  return new Problem('already_exists', detail, { extra: { count: taken.length, clashes: taken.slice(0, mostClashesShown) } });
}
