import type { Act } from '../kernel/act.ts';
import { ruleViolation } from '../kernel/problem.ts';
import { refuseReadOnlyChanges } from '../kernel/read-only.ts';
import { record } from '../platform/audit.ts';
import { releasePicture } from '../platform/pictures/picture-store.ts';
import type { Tx } from '../postgres/database.ts';
import { pageColumns, requireKnownCategory, requireLink, requireTimeZone, venueColumns } from './create-event.ts';
import { plainTextOf, sanitise } from './description.ts';
import { type Event, type EventChanges, eventReadOnlyNames } from './event-schemas.ts';
import { updateEventWords } from './event-words.ts';
import { type EventRow, hasExits, selectEventUse, updateEventRow } from './events.sql.ts';
import { lockDoor, lockEvent } from './lock-event.ts';
import { posterColumns } from './poster.ts';
import type { ReadEvent } from './read-event.ts';

const bySession = 'Change it with /event/{id}/session.';
const byStatus = 'Change it with /event/{id}/publish, /unpublish or /cancel.';
const hints = { picture: 'Change it with /event/{id}/poster.', sessions: bySession, start: bySession, finish: bySession, status: byStatus };

/** Changes only the fields that are present. After a change of `link`, the old link still works. */
export async function updateEvent(tx: Tx, act: Act, id: number, changes: EventChanges, read: ReadEvent): Promise<Event> {
  const before = await lockEvent(tx, id);
  const current = await read.event(tx, act, id);
  refuseReadOnlyChanges(changes, current, eventReadOnlyNames, hints);
  const { title, link, category, saleEnabled, withdrawalDays, maximumPerOrder, challenge, disputedTickets, reentry, venue, timezone } =
    changes;
  if (timezone !== undefined && timezone !== before.timezone) await requireUnplanned(tx, id, timezone);
  if (reentry !== undefined && reentry !== before.reentry) await requireNoExits(tx, id);
  if (link !== undefined) await requireLink(tx, id, link);
  await updateEventRow(tx, id, {
    title: title ?? before.title,
    link: link ?? before.link,
    category_id: category === undefined ? before.category_id : await requireKnownCategory(tx, category),
    ...posterColumns(before, current.poster, changes.poster),
    sale_enabled: saleEnabled ?? before.sale_enabled,
    withdrawal_days: withdrawalDays ?? before.withdrawal_days,
    maximum_per_order: maximumPerOrder ?? before.maximum_per_order,
    challenge: challenge ?? before.challenge,
    disputed_tickets: disputedTickets ?? before.disputed_tickets,
    reentry: reentry ?? before.reentry,
    waiting_list: changes.waitingList ?? before.waiting_list,
    waiting_list_hours: changes.waitingListHours ?? before.waiting_list_hours,
    timezone: timezone ?? before.timezone,
    ...(changes.description !== undefined && descriptionColumns(changes.description)),
    ...pageColumns(changes),
    ...(venue !== undefined && venueColumns(venue)),
    updated_at: act.at,
  });
  const after = await lockEvent(tx, id);
  await updateEventWords(tx, before, after);
  if (before.picture_id !== after.picture_id) await releasePicture(tx, act, before.picture_id);
  await record(tx, act, { subject: 'event', id, producerId: before.producer_id, eventId: id, ...changedColumns(before, after) });
  return read.event(tx, act, id);
}

/** Refuses a new time zone when there are sessions or items, because their local times would silently change. */
async function requireUnplanned(tx: Tx, id: number, timezone: string): Promise<void> {
  await requireTimeZone(tx, timezone);
  const { planned } = await selectEventUse(tx, id);
  if (planned) throw ruleViolation('timezone', 'fixed', 'The time zone cannot change once the event has sessions or items.');
}

/** The rule decides what exits mean. Under the lock of the door, no exit is scanned before the new rule is committed. */
async function requireNoExits(tx: Tx, id: number): Promise<void> {
  await lockDoor(id).execute(tx);
  if (await hasExits(tx, id))
    throw ruleViolation('reentry', 'fixed', 'The rule cannot change, because guests were already scanned as they left.');
}

function descriptionColumns(html: string): { description: string; description_text: string } {
  const description = sanitise(html);
  return { description, description_text: plainTextOf(description) };
}

function changedColumns(before: EventRow, after: EventRow): { before: object; after: object } {
  const changed = (Object.keys(after) as (keyof EventRow)[]).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  const only = (row: EventRow) => Object.fromEntries(changed.map((name) => [name, row[name]]));
  return { before: only(before), after: only(after) };
}
