import Type, { type Static } from 'typebox';
import { admin } from '../kernel/access.ts';
import { route } from '../kernel/route.ts';
import { closed, Instant, named, nullable, oneOf } from '../kernel/schema.ts';
import { paymentMethods } from '../orders/order-schemas.ts';

const Count = Type.Integer({ minimum: 0 });
const queueNames = ['holds', 'mails', 'paymentNotices', 'payments', 'refunds', 'exports'] as const;

const Queue = closed({
  name: oneOf(queueNames, {
    description:
      '`holds`: expired holds to release. `mails`: mails to send. `paymentNotices`: notices of payment providers to apply. `payments`, `refunds`: requests that a payment provider has not answered. `exports`: files to create',
  }),
  waiting: Count,
  oldest: nullable(Type.String({ format: 'date-time', description: 'Since when the oldest entry has been due. Null if nothing is due' })),
  failed: Type.Integer({ minimum: 0, description: 'Entries that the service has given up. An operator must act' }),
});
export type Queue = Static<typeof Queue>;

const SystemHealth = named('SystemHealth', {
  release: Type.String({ examples: ['0.2.0'] }),
  node: Type.String({ description: 'The version of Node.js', examples: ['v20.19.0'] }),
  database: closed({
    version: Type.String({ examples: ['18.1'] }),
    role: oneOf(['primary', 'replica']),
    bytes: Type.Integer({ description: 'The size of the database' }),
    replicas: Type.Array(
      closed({
        name: Type.String(),
        state: nullable(Type.String({ examples: ['streaming'] })),
        lagSeconds: nullable(
          Type.Number({ description: 'How far the replica is behind. Null if it is idle or not visible to the database user' }),
        ),
      }),
    ),
  }),
  queues: Type.Array(Queue),
  housekeeping: Type.Array(
    closed({
      kind: Type.String({ description: 'The kind of old data' }),
      removed: Count,
      failures: Count,
      lastDoneAt: nullable(Instant),
      lastFailedAt: nullable(Instant),
      lastError: nullable(Type.String()),
    }),
    { description: 'The worker removes old data every 10 minutes. If the latest `lastDoneAt` is older, no worker runs' },
  ),
  payments: closed({
    testMoney: Type.Boolean({ description: 'Whether the payment sandbox is on' }),
    methods: Type.Array(
      closed({ method: oneOf(paymentMethods), provider: Type.String(), currencies: nullable(Type.Array(Type.String())) }),
      {
        description: 'The payment methods that the configuration turns on. Null currencies: all currencies',
      },
    ),
  }),
});
export type SystemHealth = Static<typeof SystemHealth>;

export const systemContract = {
  getSystemHealth: route({
    method: 'GET',
    path: '/system/health',
    group: 'account',
    summary: 'Get the health of the installation',
    description:
      'Returns the release, the database and its replicas, how long jobs wait, when old data was removed, and the configured payment methods. Only admins of the platform can read it. Monitoring should use `/readyz` and `/metrics` instead.',
    access: admin,
    answer: { status: 200, body: SystemHealth },
    examples: {
      answer: {
        release: '0.2.0',
        node: 'v20.19.0',
        database: {
          version: '18.1',
          role: 'primary',
          bytes: 104_857_600,
          replicas: [{ name: 'replica-1', state: 'streaming', lagSeconds: 0.012 }],
        },
        queues: [{ name: 'mails', waiting: 2, oldest: '2026-11-20T13:00:00.000Z', failed: 0 }],
        housekeeping: [
          { kind: 'holds', removed: 120, failures: 0, lastDoneAt: '2026-11-20T12:55:00.000Z', lastFailedAt: null, lastError: null },
        ],
        payments: { testMoney: false, methods: [{ method: 'pix', provider: 'stripe', currencies: ['BRL'] }] },
      },
    },
  }),
};
