import type { Act } from '../kernel/act.ts';
import { ruleViolation } from '../kernel/problem.ts';
import { refuseReadOnlyChanges, withoutUnchanged } from '../kernel/read-only.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { type Passkey, type PasskeyChanges, passkeyReadOnlyNames } from './contract.ts';
import { codeTaken, getPasskeyOfEvent, lockPasskey, toPasskey, trimCode } from './passkey.ts';
import { type PasskeyRow, updatePasskeyRow } from './passkeys.sql.ts';
import { readPeriod, requireStartFromToday } from './period.ts';

/** Changes the fields that are present; null clears a field. */
export async function updatePasskey(tx: Tx, act: Act, id: number, sent: PasskeyChanges): Promise<Passkey> {
  const row = await lockPasskey(tx, id);
  const before = toPasskey(row, act.at);
  refuseReadOnlyChanges(sent, before, passkeyReadOnlyNames, { itemIds: 'Change it with PUT /passkeys/{id}/items.' });
  refuseOtherEvent(row, sent.eventId);
  const changes = withoutUnchanged(sent, before, ['start', 'finish']);
  const period = readPeriod(changes, { start: row.starts_at, finish: row.finishes_at }, row.timezone);
  requireStartFromToday(changes, period, act.at, row.timezone);
  const { limit = row.use_limit, passkey = row.code } = changes;
  requireLimitCovers(row, limit);
  const code = trimCode(passkey);
  await updatePasskeyRow(tx, row.event_id, id, {
    code,
    starts_at: period.start,
    finishes_at: period.finish,
    use_limit: limit,
    updated_at: act.at,
  }).catch(codeTaken(code));
  const after = await getPasskeyOfEvent(tx, row.event_id, id, act.at);
  await record(tx, act, { subject: 'passkey', id, eventId: row.event_id, before, after });
  return after;
}

/** Marks the passkey as deleted. The row stays, because orders and reports refer to it. */
export async function deletePasskey(tx: Tx, act: Act, id: number): Promise<void> {
  const row = await lockPasskey(tx, id);
  await updatePasskeyRow(tx, row.event_id, id, { deleted_at: act.at, updated_at: act.at });
  await record(tx, act, { subject: 'passkey', id, eventId: row.event_id, before: toPasskey(row, act.at) });
}

function refuseOtherEvent(row: PasskeyRow, eventId: number | undefined): void {
  if (eventId === undefined || eventId === row.event_id) return;
  throw ruleViolation('eventId', 'fixed', 'A passkey cannot move to another event. Create a new passkey there.');
}

/** The limit must not be lower than the number of tickets that are sold or held. */
function requireLimitCovers({ used, held }: PasskeyRow, limit: number | null): void {
  if (limit === null || limit >= used + held) return;
  const message = `limit must be at least ${used + held}: ${used} tickets are used and ${held} are held.`;
  throw ruleViolation('limit', 'below_used', message, { used, held, least: used + held });
}
