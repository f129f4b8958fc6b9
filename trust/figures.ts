import { findBrowser } from '../test/browser/find-browser.ts';
import type { Attempt, TryOptions } from './attempt.ts';
import { failoverNeeds, tryFailover } from './failover.ts';
import { tryOverload } from './overload.ts';
import { trySoak } from './soak.ts';
import { tryWaitingRoom } from './waiting-room.ts';

/** A test that creates a fault on purpose. If it passes, the fault was detected. This shows that the other tests of the figure can fail. */
interface Control {
  /** The title of the test that creates the fault, or of the `describe` block around such tests. */
  test: string;
  /** The fault that the test creates. */
  fault: string;
  /** The effect that the test must detect. */
  finds: string;
  /** The same test also checks the promise: it checks the promise, creates the fault, and checks again. */
  isGuardToo?: true;
  /** The control runs only without `--quick`. */
  onlyInFull?: true;
}

interface FigureBase {
  id: string;
  title: string;
  must: string;
  controls: [Control, ...Control[]];
  /** Returns what this machine lacks to run the figure, or undefined if it lacks nothing. */
  lacks?(): string | undefined;
}

/** A figure that runs test files. All tests of these files that are not controls check the promise. */
interface TestFigure extends FigureBase {
  files: string[];
  /** The environment of a full run. */
  full?: Record<string, string>;
}

interface ScriptFigure extends FigureBase {
  run(options: TryOptions): Promise<Attempt[]>;
}

export type Figure = TestFigure | ScriptFigure;

export const figures: Figure[] = [
  {
    id: 'T1',
    title: 'an on-sale with 500 clients, mixed carts, expiring holds and every limit',
    must: 'nothing oversold, no available ticket refused',
    files: ['test/onsale.test.ts'],
    full: { ONSALE_WAVES: '20' },
    controls: [
      { test: 'controls', fault: 'counters beyond their limit, constraints dropped, locks removed', finds: 'every oversold limit' },
    ],
  },
  {
    id: 'T2',
    title: 'catalogue and orders compared with a model',
    must: 'no differences',
    files: ['test/model.test.ts', 'src/orders/random-orders.test.ts'],
    full: { MODEL_RUNS: '150', RANDOM_ORDER_RUNS: '50' },
    controls: [{ test: 'controls', fault: 'a database trigger that does not count some tickets', finds: 'a difference from the model' }],
  },
  {
    id: 'T3',
    title: 'kill -9 of the service and of PostgreSQL in turn during an on-sale',
    must: 'no order lost or doubled, no stuck idempotency keys, ledger balanced',
    files: ['test/onsale-kill.test.ts', 'test/idempotency-kill.test.ts'],
    full: { KILL_ROUNDS: '100' },
    controls: [
      {
        test: 'an on-sale during which the service and the database are killed',
        fault: 'rows deleted or changed by hand after the sale',
        finds: 'each lost order, doubled order, stuck key and wrong amount',
        isGuardToo: true,
      },
      {
        test: 'control: orders are lost when a commit does not wait for the disk',
        fault: 'synchronous_commit=off',
        finds: 'lost orders',
        onlyInFull: true,
      },
      {
        test: 'control: the effect happens twice if the key is written outside the transaction',
        fault: 'the idempotency key is written outside the transaction',
        finds: 'a doubled effect',
      },
    ],
  },
  {
    id: 'T4',
    title: 'a worker killed during an export and during a mail',
    must: 'another worker finishes the work: one file, one mail',
    files: ['test/export-kill.test.ts', 'test/mail-kill.test.ts'],
    controls: [
      {
        test: 'an export whose worker is killed',
        fault: 'another session holds the lock of the export',
        finds: 'that no worker runs the export',
        isGuardToo: true,
      },
    ],
  },
  {
    id: 'T5',
    title: 'every operation, by every role, on own, other and missing objects',
    must: 'no wrong response, no operation without a row',
    files: ['test/access-matrix.test.ts'],
    controls: [
      {
        test: 'control: a gate that allows everything',
        fault: 'authorization allows everything',
        finds: 'wrong responses of every guarded operation',
      },
    ],
  },
  {
    id: 'T6',
    title: 'malformed requests, raw and derived from the contracts',
    must: 'no 5xx, no hang, no restart',
    files: ['test/malformed/malformed.test.ts'],
    full: { MALFORMED_COUNT: '100000' },
    controls: [
      {
        test: 'control: the same check on an operation that is broken',
        fault: 'an operation that throws or never returns',
        finds: 'a 500 and a missing response',
      },
    ],
  },
  {
    id: 'T7',
    title: 'hostile uploads',
    must: 'uploads refused, constant memory, nothing stored',
    files: ['src/codes/hostile-uploads.test.ts'],
    controls: [
      {
        test: 'control: with a higher limit it accepts more bytes',
        fault: 'a size limit of 32 MiB',
        finds: 'that the service reads more than 32 MiB',
      },
    ],
  },
  {
    id: 'T8',
    title: 'ten times more clients than the service can serve',
    must: 'throughput ≥ 80 % of the peak, refusals with Retry-After, recovery without help',
    run: tryOverload,
    controls: [
      { test: 'clients time out without load shedding', fault: 'LOAD_SHEDDING=off', finds: 'more than ten times as many timeouts' },
    ],
  },
  {
    id: 'T9',
    title: 'injection strings in every text field, in mails, CSV, XLSX and pages',
    must: 'no formulas, headers or scripts',
    files: ['src/platform/mail/injection.test.ts', 'src/exports/spreadsheets.test.ts', 'src/events/description.test.ts'],
    controls: [
      {
        test: 'control: the same texts are detected in a mail that is built without escaping',
        fault: 'mails without escaping',
        finds: 'injected headers and markup',
      },
      {
        test: 'a CSV file has no cell that a spreadsheet would evaluate as a formula',
        fault: 'csv_text() returns its argument',
        finds: 'formulas in CSV',
        isGuardToo: true,
      },
    ],
  },
  {
    id: 'T10',
    title: 'counters, rows and ledger compared',
    must: 'no differences',
    files: ['src/audit/checks.test.ts'],
    controls: [
      { test: 'audit', fault: 'for each check, rows changed so that it must fail', finds: 'a difference by that check', isGuardToo: true },
    ],
  },
  {
    id: 'T11',
    title: 'kill -9 of the service at each step of card payments, PIX payments and refunds, with an unreliable provider',
    must: 'charged once or not at all, tickets or a refund for every charge, ledger balanced, nothing stuck',
    files: ['test/payment-kills.test.ts', 'test/payment-kills/find-faults.test.ts'],
    full: { PAYMENT_KILL_ROUNDS: '12' },
    controls: [
      {
        test: 'control: orders are charged twice if the provider does not get the idempotency key',
        fault: 'a proxy that removes the Idempotency-Key',
        finds: 'double charges',
      },
      {
        test: 'control: the judge of payments finds',
        fault: 'facts with one fault each, such as a missing ticket, a lost refund or a begun payment',
        finds: 'each fault',
      },
    ],
  },
  {
    id: 'T12',
    title: 'a database that fails over: servers killed, switched over, restarted and silent',
    must: 'no order lost or doubled, no errors other than 503, selling again by itself',
    lacks: failoverNeeds,
    run: tryFailover,
    controls: [
      {
        test: 'control: orders are lost when a commit does not wait for a standby',
        fault: 'asynchronous replication',
        finds: 'lost orders',
      },
    ],
  },
  {
    id: 'T13',
    title: 'door devices without a network: the same tickets scanned apart, reloads, revoked devices, wrong clocks, full storage',
    must: 'every scan kept once, every double entry reported',
    files: ['test/browser/door.test.ts', 'src/door/merging.test.ts', 'test/door-app.test.ts'],
    lacks: () => (findBrowser(process.env) ? undefined : 'Chromium is not installed'),
    controls: [
      {
        test: 'control: a scan that is answered but not stored is lost by a reload',
        fault: 'the device answers without storing the scan',
        finds: 'a lost scan, and a second entry with the same ticket',
      },
    ],
  },
  {
    id: 'T14',
    title: 'the short form of `npm run soak`: mixed load, while a process or all database connections are killed',
    must: 'memory flat, no errors other than 503 during kills, audit clean',
    run: trySoak,
    controls: [{ test: 'the leak is found', fault: 'the service keeps 128 KiB of every request', finds: 'growing memory' }],
  },
  {
    id: 'T15',
    title: 'kill -9 of the worker and of the API in turn, while webhooks are delivered',
    must: 'every change delivered at least once, in order for each object, and once in the feed',
    files: ['test/webhook-kill.test.ts', 'src/webhooks/webhooks.test.ts'],
    full: { WEBHOOK_KILLS: '50' },
    controls: [
      {
        test: 'an API and a worker that are killed while webhooks are delivered',
        fault: 'a message left out, a feed entry left out, messages in reverse order, a change without its row in the outbox',
        finds: 'each fault',
        isGuardToo: true,
      },
      {
        test: 'gets nothing of a change that is rolled back; control: without the row in the transaction a change is lost',
        fault: 'a change without its row in the outbox',
        finds: 'that it is neither delivered nor in the feed',
        isGuardToo: true,
      },
    ],
  },
  {
    id: 'T16',
    title: '500 refunds for 1,000 people on a waiting list, buyers in the shop, lapsing offers and kill -9 of the service',
    must: 'every returned ticket offered once, in the order of the line, nothing oversold, nothing for other buyers',
    files: ['test/waiting-list-kill.test.ts'],
    full: { WAITING_PEOPLE: '1000', WAITING_REFUNDS: '500', WAITING_KILLS: '20' },
    controls: [
      {
        test: 'a waiting list whose service is killed while orders are refunded',
        fault: 'entries, offers and counters changed by hand',
        finds: 'each wrong quantity, passed person, lost offer, ticket that was not offered and wrong count',
        isGuardToo: true,
      },
    ],
  },
  {
    id: 'T17',
    title: 'an on-sale through the waiting room, with ten times more visitors than tickets',
    must: 'admitted rate within 10 % of the set rate, orders ≥ 90 % of a sale without a crowd, no forged or shared admission, a draw that can be recomputed',
    run: tryWaitingRoom,
    controls: [
      { test: 'control: the script detects two exchanged places', fault: 'two places of the draw exchanged', finds: 'the difference' },
    ],
  },
];
