import type { Tx } from '../postgres/database.ts';
import { getProducerProfile, listProducerEvents } from '../storefront/producer.ts';
import type { ProducerPage } from './contract.ts';
import { cardOf } from './event-cards.ts';
import { imageOf } from './images.ts';

const eventsPerPage = 24;

export async function readProducerPage(tx: Tx, at: Date, id: number, cursor: string | undefined): Promise<ProducerPage> {
  const { name, description, links, logo, picture } = await getProducerProfile(tx, id);
  const events = await listProducerEvents(tx, at, id, { pageSize: eventsPerPage, ...(cursor && { cursor }) });
  return {
    kind: 'producer',
    name,
    description,
    logo: imageOf(logo, picture),
    links,
    events: events.data.map(cardOf),
    nextCursor: events.nextCursor,
  };
}
