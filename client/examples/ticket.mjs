// Put an item on sale as the producer. The client logs in at the first call and renews its tokens itself.
import { createClient, isProblem } from 'tessera-client';

const client = createClient({
  environment: 'local',
  hosts: process.env.TESSERA_API,
  login: { email: 'producer@demo.test', password: 'tessera-demo' },
});

const eventId = 1;
const { id } = await client.items.create({ eventId, name: 'Balcony', quantity: 200 });
const { price, feeSale, feeProducer } = await client.tax.get({ eventId, price: 9000, taxDistribution: 50 });
await client.items.values.create({ id, price, feeSale, feeProducer });
await client.items.salesPeriods.create({
  id,
  appCategoryId: 1,
  start: '2026-01-10 10:00:00',
  finish: '2099-12-31 23:59:59',
  available: 150,
});
await client.items.attributes.create({ id, key: 'maximum', value: 4, type: 'integer' });

const passkey = await client.passkeys.create({ eventId, passkey: `Friends ${id}`, finish: '2099-12-31', limit: 40 });
await client.passkeys.setItems({ id: passkey.id, itemIds: [id] });

const file = `code;item\nPX-${id}-1;Partner ${id}\nPX-${id}-2;Partner ${id}\n`;
const { imported } = await client.codes.upload({ eventId, file, createItems: true });
console.log(`${imported} codes imported`);

try {
  await client.items.values.create({ id, price, feeSale, feeProducer });
} catch (error) {
  if (!isProblem(error, 'already_exists')) throw error;
  console.log(`Expected problem: ${error.detail}`);
}

await client.passkeys.delete({ id: passkey.id });
await client.items.remove({ id });
for await (const item of client.items.listAll({ eventId, archived: true })) console.log(`Removed: ${item.name}`);
