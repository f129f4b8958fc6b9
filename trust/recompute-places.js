#!/usr/bin/env node
// Recomputes the draw of a waiting room. It uses nothing of Tessera, so that anybody can read and run it alone.
//   node recompute-places.js https://shop.example/v1/queue/12 4711
// The first argument is the address or the saved file of the queue. The others are numbers; without numbers, it prints all places.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

const [source = '', ...asked] = process.argv.slice(2);
const sha256 = (data) => createHash('sha256').update(data).digest('hex');

const text = source.startsWith('http') ? await (await fetch(source)).text() : readFileSync(source, 'utf8');
const { eventId, draw } = JSON.parse(text);

if (draw.seed === null) {
  console.error('The places are not drawn yet. Keep this commitment and compare it later:', draw.commitment);
  process.exit(2);
}
if (sha256(Buffer.from(draw.seed, 'hex')) !== draw.commitment) {
  console.error('The seed does not match the commitment. The draw was changed.');
  process.exit(1);
}

const numbers = Array.from({ length: draw.last - draw.first + 1 }, (_, i) => draw.first + i);
const drawn = numbers.map((number) => ({ number, key: sha256(`${draw.seed}:${eventId}:${draw.last}:${number}`).slice(0, 13) }));
// Hexadecimal texts of the same length sort like the numbers that they stand for.
drawn.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : a.number - b.number));
const places = new Map(drawn.map(({ number }, i) => [number, draw.first + i]));

for (const number of asked.length > 0 ? asked.map(Number) : numbers) console.log(number, places.get(number) ?? number);
