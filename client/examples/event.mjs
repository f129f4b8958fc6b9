// Read public event data. No login is needed.
import { createClient } from 'tessera-client';

const client = createClient({ environment: 'local', hosts: process.env.TESSERA_API });

const event = await client.events.identify({ link: 'noite-de-samba', fields: ['id', 'title', 'sessions'] });
console.log(`${event.title}: ${event.sessions.length} session(s)`);

const { data: groups } = await client.events.tickets({ id: event.id });
for (const group of groups) {
  for (const ticket of group.tickets) console.log(`  ${ticket.name}: ${ticket.status}, ${ticket.finalPrice} ${ticket.currency} cents`);
}

for await (const found of client.categories.eventsAll({ category: 'music', fields: ['title', 'start'] })) {
  console.log(`In music: ${found.title}, ${found.start}`);
}
