// What is measured, against what, and what it must come to. `npm run bench` measures it.
const more = (must, aim) => ({ must, aim, holds: (value, bound) => value >= bound, sign: '≥' });
const less = (must, aim) => ({ must, aim, holds: (value, bound) => value <= bound, sign: '≤' });

/** Each is measured by its file, together with the others of the same file. */
export const figures = [
  {
    id: 'S1',
    file: 'orders',
    title: 'POST /orders, one hot item, 256 clients',
    control: 'bare Fastify echoing the body',
    unit: '×',
    ...more(0.35, 0.6),
  },
  { id: 'S2', file: 'orders', title: 'the same', control: 'one transaction per request', unit: '×', ...more(8, 15) },
  {
    id: 'S3',
    file: 'orders',
    title: 'the same over 200 items of 50 events',
    control: 'bare Fastify echoing the body',
    unit: '×',
    ...more(0.25, 0.5),
  },
  {
    id: 'S4',
    file: 'event-pages',
    title: 'event pages, warm',
    control: 'bare Fastify sending the same bytes',
    unit: '×',
    ...more(0.7, 0.9),
  },
  {
    id: 'S6',
    file: 'codes-upload',
    title: 'upload of 1,000,000 codes',
    control: 'raw COPY of the same rows',
    unit: '×',
    ...more(0.2, 0.5),
  },
  {
    id: 'S7',
    file: 'passkey-batch',
    title: 'batch of 100,000 passkeys on 3 items',
    control: 'raw insert of the same rows',
    unit: '×',
    ...more(0.3, 0.7),
  },
  { id: 'G1', file: 'orders', title: 'one order with 1,000,000 behind it', control: 'with 1,000 behind it', unit: '×', ...less(1.3, 1.1) },
  { id: 'G2', file: 'lists', title: 'page 10,000 of a list', control: 'page 1', unit: '×', ...less(1.5, 1.1) },
  { id: 'G3', file: 'reports', title: 'bordero and entry report of 1,000,000 tickets', control: 'of 10,000', unit: '×', ...less(30, 3) },
  { id: 'M1', file: 'codes-upload', title: 'memory that S6 takes', control: 'the service at rest', unit: ' MiB', ...less(128, 48) },
  { id: 'M2', file: 'first-start', title: 'first start to the first answer', control: 'none', unit: ' s', ...less(10, 4) },
];
