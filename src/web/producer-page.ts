import type { Tx } from '../postgres/database.ts';
import { getProducerProfile, listProducerEvents } from '../storefront/producer.ts';
import type { ProducerPage } from './contract.ts';
import { cardOf } from './event-cards.ts';
import { imageOf, pictureIn } from './images.ts';

const eventsPerPage = 24;

export async function readProducerPage(tx: Tx, at: Date, id: number, cursor: string | undefined): Promise<ProducerPage> {
  const profile = await getProducerProfile(tx, id);
  const { name, description, links, logo } = profile;
  const events = await listProducerEvents(tx, at, id, { pageSize: eventsPerPage, ...(cursor && { cursor }) });
  return {
    kind: 'producer',
    name,
    description,
    logo: imageOf(logo, pictureIn(profile)),
    links,
    events: events.data.map(cardOf),
    nextCursor: events.nextCursor,
  };
}
