import type { Act } from '../kernel/act.ts';
import type { Tx } from '../postgres/database.ts';
import type { HomeSettings } from './contract.ts';
import { readCoverSettings } from './cover.ts';
import { listFeatured } from './featured.ts';
import { selectHomeEvents } from './home.sql.ts';
import { listSections } from './sections.ts';

/** Everything that the home page can show, with the names of its events, so that the editor needs one request. */
export async function getHomeSettings(tx: Tx, { at }: Act): Promise<HomeSettings> {
  const events = await selectHomeEvents(tx, at);
  return {
    cover: await readCoverSettings(tx),
    featured: await listFeatured(tx),
    sections: await listSections(tx),
    events: events.map(({ id, title, is_shown }) => ({ id, title, isShown: is_shown })),
  };
}
