import { ruleViolation } from '../kernel/problem.ts';
import type { Tx } from '../postgres/database.ts';
import { selectUnpublished } from './home.sql.ts';

/** Throws if an event is not published, because the home page must not reveal drafts and private events. */
export async function requirePublished(tx: Tx, field: string, eventIds: readonly number[]): Promise<void> {
  const refused = eventIds.length === 0 ? [] : await selectUnpublished(tx, eventIds);
  if (refused.length > 0)
    throw ruleViolation(field, 'not_published', `These events are not published: ${refused.slice(0, 10).join(', ')}. Publish them first.`);
}
