import type { Banner } from '../home/contract.ts';
import { getHomeCover } from '../home/cover.ts';
import { getFeatured } from '../home/featured.ts';
import { getHomeSections } from '../home/sections.ts';
import type { Act } from '../kernel/act.ts';
import type { Tx } from '../postgres/database.ts';
import type { EventPart } from '../storefront/contract.ts';
import { getEvent } from '../storefront/event.ts';
import { searchEvents } from '../storefront/search-events.ts';
import type { HomePage } from './contract.ts';
import { cardFields, cardsOf } from './event-cards.ts';
import { imageOf } from './images.ts';

const upcomingShown = 12;

export async function readHomePage(tx: Tx, act: Act): Promise<HomePage> {
  const featured = (await getFeatured(tx, act, { method: 'events', fields: cardFields })) as EventPart[];
  const sections = await getHomeSections(tx, act);
  const upcoming = await searchEvents(tx, act, { pageSize: upcomingShown, fields: cardFields }, undefined);
  return {
    kind: 'home',
    cover: await readCover(tx, act),
    featured: cardsOf(featured),
    banners: await readBanners(tx, act),
    sections: sections
      .filter(({ events }) => events.length > 0)
      .map(({ title, slug, events }) => ({ title, slug, events: cardsOf(events) })),
    upcoming: cardsOf(upcoming.data),
  };
}

async function readBanners(tx: Tx, act: Act): Promise<HomePage['banners']> {
  const banners = (await getFeatured(tx, act, { method: 'banner' })) as Banner[];
  return banners.flatMap(({ image: address, picture, target, eventId }) => {
    const image = imageOf(address, picture);
    return image && target !== null && eventId === null ? [{ image, target }] : [];
  });
}

async function readCover(tx: Tx, act: Act): Promise<HomePage['cover']> {
  const { image: address, picture, title, target, eventId } = await getHomeCover(tx, act);
  const image = imageOf(address, picture);
  if (image === null && title === null && eventId === null) return null;
  const [event = null] = eventId === null ? [] : cardsOf([await getEvent(tx, act, eventId, cardFields)]);
  return { title, image, path: target, event };
}
