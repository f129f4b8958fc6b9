import type { Act } from '../kernel/act.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import type { NewPasskey, Passkey } from './contract.ts';
import { codeTaken, getPasskeyOfEvent, requireZone, trimCode } from './passkey.ts';
import { insertPasskey } from './passkeys.sql.ts';
import { readPeriod } from './period.ts';

export async function createPasskey(tx: Tx, act: Act, body: NewPasskey): Promise<Passkey> {
  const { eventId, limit = null } = body;
  const { start, finish } = readPeriod(body, { start: null, finish: null }, await requireZone(tx, eventId));
  const code = trimCode(body.passkey);
  const id = await insertPasskey(tx, {
    event_id: eventId,
    code,
    starts_at: start,
    finishes_at: finish,
    use_limit: limit,
    created_at: act.at,
    updated_at: act.at,
  }).catch(codeTaken(code));
  const passkey = await getPasskeyOfEvent(tx, eventId, id, act.at);
  await record(tx, act, { subject: 'passkey', id, eventId, after: passkey });
  return passkey;
}
