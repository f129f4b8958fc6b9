import { slugOf } from '../events/slug.ts';
import type { Act } from '../kernel/act.ts';
import { Problem, ruleViolation } from '../kernel/problem.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { constraintToProblem } from '../postgres/transaction.ts';
import { shortEventFields } from '../storefront/contract.ts';
import { describeEvents } from '../storefront/event.ts';
import type { HomeSection, ManagedSection, NewSection, SectionChanges } from './contract.ts';
import {
  deleteSectionEvents,
  deleteSectionRow,
  insertSection,
  insertSectionEvents,
  lockSection,
  type SectionRow,
  selectSections,
  updateSectionRow,
} from './home.sql.ts';
import { requirePublished } from './require-published.ts';

/** The number of sections is limited, because the list has no pages. */
const maxSections = 50;

export async function getHomeSections(tx: Tx, { at }: Act): Promise<HomeSection[]> {
  const sections = await selectSections(tx, at);
  const ids = [...new Set(sections.flatMap(({ event_ids }) => event_ids))];
  const events = (await describeEvents(tx, ids, at, new Set(shortEventFields))) as HomeSection['events'];
  const byId = new Map(events.map((event) => [event.id, event]));
  return sections.map(({ event_ids, ...section }) => ({ ...section, events: event_ids.flatMap((id) => byId.get(id) ?? []) }));
}

/** All sections with all their events, even those that are not shown now. */
export async function listSections(tx: Tx): Promise<ManagedSection[]> {
  return (await selectSections(tx, null)).map(toManaged);
}

export async function createSection(tx: Tx, act: Act, section: NewSection): Promise<ManagedSection> {
  const { title, slug = slugOf(title), position = 0, eventIds = [] } = section;
  if ((await selectSections(tx, null)).length >= maxSections)
    throw ruleViolation('title', 'limit', `There can be at most ${maxSections} sections. Delete a section first.`);
  const id = await insertSection(tx, { title, slug, position }).catch(slugTaken);
  await replaceEvents(tx, id, eventIds);
  const created = await findSection(tx, id);
  await record(tx, act, { subject: 'home_section', id, after: created });
  return created;
}

export async function updateSection(tx: Tx, act: Act, id: number, changes: SectionChanges): Promise<ManagedSection> {
  if (!(await lockSection(tx, id))) throw new Problem('not_found');
  const before = await findSection(tx, id);
  const { title, slug, position } = { ...before, ...changes };
  await updateSectionRow(tx, id, { title, slug, position }).catch(slugTaken);
  if (changes.eventIds) await replaceEvents(tx, id, changes.eventIds);
  const after = await findSection(tx, id);
  await record(tx, act, { subject: 'home_section', id, before, after });
  return after;
}

export async function deleteSection(tx: Tx, act: Act, id: number): Promise<void> {
  if (!(await lockSection(tx, id))) throw new Problem('not_found');
  const before = await findSection(tx, id);
  await deleteSectionRow(tx, id);
  await record(tx, act, { subject: 'home_section', id, before });
}

async function findSection(tx: Tx, id: number): Promise<ManagedSection> {
  const found = (await selectSections(tx, null)).find((section) => section.id === id);
  if (!found) throw new Problem('not_found');
  return toManaged(found);
}

const toManaged = ({ event_ids, ...section }: SectionRow): ManagedSection => ({ ...section, eventIds: event_ids });

async function replaceEvents(tx: Tx, id: number, eventIds: readonly number[]): Promise<void> {
  await requirePublished(tx, 'eventIds', eventIds);
  await deleteSectionEvents(tx, id);
  if (eventIds.length > 0) await insertSectionEvents(tx, id, eventIds);
}

const slugTaken = constraintToProblem({
  home_section_slug: () => new Problem('already_exists', 'Another section has this slug. Choose another slug.'),
});
