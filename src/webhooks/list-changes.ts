import type { Act } from '../kernel/act.ts';
import type { ChangeType } from '../kernel/change-types.ts';
import type { Tx } from '../postgres/database.ts';
import type { ChangeQuery, Changes } from './contract.ts';
import { selectEntries } from './feed.sql.ts';
import { decodePlace, encodePlace } from './feed-cursor.ts';
import { messageIdOf, messageVersion } from './message.ts';
import { readResources } from './read-resources.ts';

const defaultPageSize = 25;

export interface FeedSettings {
  /** How long changes are stored. Null means forever. */
  changeDays: number | null;
  testMoney: boolean;
}

export async function listChanges(
  tx: Tx,
  { at }: Act,
  producerId: number,
  { since, pageSize = defaultPageSize }: ChangeQuery,
  { changeDays, testMoney }: FeedSettings,
): Promise<Changes> {
  const after = since === undefined ? { position: 0, at } : decodePlace(since, 'query', changeDays, at);
  const rows = await selectEntries(tx, producerId, after.position, pageSize + 1);
  const page = rows.slice(0, pageSize);
  const subjects = page.map(({ event_id: eventId, subject, part }) => ({ eventId, subject, part }));
  const resources = await readResources(tx, subjects, { producerId, at, testMoney });
  const [last] = page.slice(-1);
  const more = rows.length > pageSize;
  return {
    data: page.map(({ position, type, at: changedAt }, i) => ({
      id: messageIdOf(position),
      type: type as ChangeType,
      timestamp: changedAt.toISOString(),
      version: messageVersion,
      data: (resources[i] ?? null) as Record<string, unknown> | null,
    })),
    next: encodePlace({ position: last?.position ?? after.position, at: more && last ? last.at : at }),
    more,
  };
}
