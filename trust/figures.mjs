// What is tried, by which tests, and how hard. A test whose name begins with "control" makes a fault on purpose: it passes when the fault is found.
export const figures = [
  {
    id: 'T1',
    title: 'on-sale, 500 clients, mixed carts, expiring holds, every limit',
    must: 'oversold 0; refused while free 0',
    tests: ['test/onsale.test.ts'],
    full: { ONSALE_WAVES: '20' },
  },
  {
    id: 'T2',
    title: 'catalogue and orders against a model',
    must: '0 divergences',
    tests: ['test/model.test.ts'],
    full: { MODEL_RUNS: '150' },
  },
  {
    id: 'T3',
    title: 'kill -9 of the service and of PostgreSQL in turn during an on-sale',
    must: 'lost 0, doubled 0, stuck keys 0, ledger drift 0',
    tests: ['test/onsale-kill.test.ts', 'test/idempotency-kill.test.ts'],
    full: { KILL_ROUNDS: '100' },
  },
  {
    id: 'T4',
    title: 'worker killed during export and mail',
    must: 'done once more within 20 s; one file; one mail',
    tests: [],
  },
  {
    id: 'T5',
    title: 'every operation × every role × own, other event, other producer, missing',
    must: '0 wrong answers, no operation without a row',
    tests: ['test/access-matrix.test.ts'],
  },
  {
    id: 'T6',
    title: 'malformed requests, raw and made from the contracts',
    must: '0 answers 5xx, 0 hangs, 0 restarts',
    tests: ['test/malformed/malformed.test.ts'],
    full: { MALFORMED_COUNT: '100000' },
  },
  {
    id: 'T7',
    title: 'hostile uploads',
    must: 'refused, memory flat, nothing stored',
    tests: ['src/codes/hostile-uploads.test.ts'],
  },
  {
    id: 'T8',
    title: 'overload',
    must: 'goodput ≥ 80 % of the peak, refusals with Retry-After, recovers by itself',
    script: './overload.mjs',
  },
  {
    id: 'T9',
    title: 'injection strings in every text field → mail, CSV, XLSX, pages',
    must: '0 formulas, headers, scripts',
    tests: [],
  },
  {
    id: 'T10',
    title: 'counters = rows = ledger',
    must: 'difference 0',
    tests: ['src/audit/checks.test.ts'],
  },
];
