// What is measured, against what, and what it must come to. `npm run bench` measures it.
const more = (must, aim) => ({ must, aim, holds: (value, bound) => value >= bound, sign: '≥' });
const less = (must, aim) => ({ must, aim, holds: (value, bound) => value <= bound, sign: '≤' });
const echo = 'bare Fastify echoing the body';
const million = '1,000,000';

/** Each is measured by its file, together with the others of the same file; where several do, the worse result counts. */
export const figures = [
  { id: 'S1', file: 'orders', title: 'POST /orders, one hot item, 256 clients', control: echo, unit: '×', ...more(0.35, 0.6) },
  { id: 'S2', file: 'orders', title: 'the same', control: 'one transaction per request', unit: '×', ...more(8, 15) },
  { id: 'S3', file: 'orders', title: 'the same over 200 items of 50 events', control: echo, unit: '×', ...more(0.25, 0.5) },
  { id: 'S4', file: 'event-pages', title: 'event pages, warm', control: 'bare Fastify sending the bytes', unit: '×', ...more(0.7, 0.9) },
  { id: 'S5', file: 'export', title: `export of ${million} orders to CSV`, control: 'raw COPY to a file', unit: '×', ...more(0.4, 0.8) },
  { id: 'S6', file: 'codes-upload', title: `upload of ${million} codes`, control: 'raw COPY of the rows', unit: '×', ...more(0.2, 0.5) },
  {
    id: 'S7',
    file: 'passkey-batch',
    title: '100,000 passkeys on 3 items',
    control: 'raw insert of the rows',
    unit: '×',
    ...more(0.3, 0.7),
  },
  { id: 'S8', file: 'checkins', title: 'check-ins by 50, 100,000 tickets sold', control: echo, unit: '×', ...more(0.2, 0.5) },
  { id: 'G1', file: 'orders', title: `one order with ${million} behind it`, control: 'with 1,000', unit: '×', ...less(1.3, 1.1) },
  { id: 'G2', file: 'lists', title: 'page 10,000 of a list', control: 'page 1', unit: '×', ...less(1.5, 1.1) },
  { id: 'G3', file: 'reports', title: `reports over ${million} tickets`, control: 'over 10,000', unit: '×', ...less(30, 3) },
  { id: 'A1', file: 'audit', title: `audit of ${million} orders`, control: 'reading every row once', unit: '×', ...less(3, 1.5) },
  { id: 'M1', file: ['export', 'codes-upload'], title: 'memory for S5 and S6', control: 'at rest', unit: ' MiB', ...less(128, 48) },
  { id: 'M2', file: 'first-start', title: 'first start to the first answer', control: 'none', unit: ' s', ...less(10, 4) },
];
