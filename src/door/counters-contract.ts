import Type, { type Static } from 'typebox';
import { orDevice, permitted } from '../kernel/access.ts';
import { route } from '../kernel/route.ts';
import { closed, Id, Instant, named } from '../kernel/schema.ts';

const Count = Type.Integer({ minimum: 0 });
const Counters = named('DoorCounters', {
  inside: Type.Integer({ minimum: 0, description: 'Guests who are inside now. Without `sessionId`: the sum of all sessions' }),
  expected: Type.Integer({ minimum: 0, description: 'Guests with a valid ticket, whether or not they have come' }),
  admitted: Type.Integer({ minimum: 0, description: 'Guests who have entered, each counted once' }),
  gates: Type.Array(closed({ gate: Type.String(), admitted: Count }), {
    description: 'Entries by gate. Entries without a gate are left out',
  }),
  minutes: Type.Array(closed({ minute: Instant, admitted: Count }), {
    description: 'Entries in each of the last 30 minutes, the current minute last, by the clock of the devices',
  }),
  now: Instant,
});
export type Counters = Static<typeof Counters>;

/** How the entrance is going, live. */
export const countersContract = {
  getCounters: route({
    method: 'GET',
    path: '/event/{eventId}/checkins/counters',
    group: 'door',
    summary: 'Count guests at the door',
    description:
      'Returns how many guests are expected, admitted and inside, for one session or for the whole event. Read it every few seconds: it reads sums and does not count tickets.',
    access: orDevice(permitted('checkin.make', { event: 'path.eventId' })),
    params: Type.Object({ eventId: Id }),
    query: Type.Object({ sessionId: Type.Optional(Id) }),
    answer: { status: 200, body: Counters },
    examples: {
      params: { eventId: 12 },
      query: { sessionId: 7 },
      answer: {
        inside: 812,
        expected: 1500,
        admitted: 830,
        gates: [{ gate: 'Gate A', admitted: 830 }],
        minutes: [{ minute: '2026-11-20T22:31:00.000Z', admitted: 41 }],
        now: '2026-11-20T22:31:17.120Z',
      },
    },
  }),
};
