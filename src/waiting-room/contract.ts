import Type, { type Static } from 'typebox';
import { anyone, permitted } from '../kernel/access.ts';
import { route } from '../kernel/route.ts';
import { closed, Id, Instant, Moment, named, nullable, oneOf, WallClock } from '../kernel/schema.ts';

const PerMinute = Type.Union([Type.Integer({ minimum: 1, maximum: 60_000 }), Type.Literal('auto')], {
  description: 'How many visitors are admitted per minute. `auto`: as many as the service can serve well',
});
const Minutes = Type.Integer({ minimum: 2, maximum: 30, description: 'How many minutes an admission is valid. Default: 10' });
const OrdersPerPlace = Type.Integer({
  minimum: 1,
  maximum: 10,
  description: 'How many open and paid orders one place in the queue may have. Default: 2',
});

const WaitingRoom = named('WaitingRoom', {
  state: oneOf(['off', 'before', 'open', 'paused'], {
    description:
      '`off`: orders need no admission. `before`: the room is not open yet, and visitors get numbers. `paused`: nobody is admitted now',
  }),
  opensAt: nullable(WallClock),
  admitPerMinute: PerMinute,
  perMinute: Type.Integer({ description: 'The current rate. 0 while the room is paused' }),
  minutes: Minutes,
  ordersPerPlace: OrdersPerPlace,
  waiting: Type.Integer({ description: 'How many visitors wait' }),
  admitted: Type.Integer({ description: 'How many visitors were admitted, whether or not they came' }),
  commitment: nullable(Type.String({ description: 'The SHA-256 hash of the seed of the draw' })),
});
export type WaitingRoom = Static<typeof WaitingRoom>;

const WaitingRoomChanges = closed(
  {
    opensAt: Type.Optional(Moment),
    admitPerMinute: Type.Optional(PerMinute),
    minutes: Type.Optional(Minutes),
    ordersPerPlace: Type.Optional(OrdersPerPlace),
    paused: Type.Optional(Type.Boolean({ description: 'Whether admitting is interrupted' })),
  },
  { minProperties: 1 },
);
export type WaitingRoomChanges = Static<typeof WaitingRoomChanges>;

const Queue = named('Queue', {
  eventId: Id,
  state: oneOf(['before', 'open', 'paused']),
  opensAt: Instant,
  minutes: Minutes,
  watermark: closed(
    { place: Type.Number(), at: Instant, perMinute: Type.Integer() },
    { description: 'At the time t, places up to `place + perMinute * (t - at)` are admitted, with t - at in minutes' },
  ),
  nextChange: nullable(Type.String({ format: 'date-time', description: 'When the state changes next, as far as it is known' })),
  draw: closed(
    {
      commitment: Type.String({ description: 'The SHA-256 hash of the seed, in hexadecimal. It never changes' }),
      seed: nullable(Type.String({ description: 'The seed in hexadecimal. Null before the opening' })),
      first: Type.Integer({ description: 'The first number that takes part in the draw' }),
      last: nullable(Type.Integer({ description: 'The last number that takes part in the draw. Null before the opening' })),
    },
    { description: 'With these values everybody can compute the place of each number' },
  ),
});
export type Queue = Static<typeof Queue>;

const Ticket = Type.String({ minLength: 1, maxLength: 100, examples: ['n.12.4711.Zb3xYq0R1m6iJtTnJ0gq6w'] });
const Number_ = Type.Integer({ description: 'The number that the visitor got' });
const Place = nullable(Type.Integer({ description: 'The place in the queue. Null before the draw' }));

const QueueNumber = named('QueueNumber', {
  ticket: Type.String({ description: 'The signed number. Whoever has it has the place. Keep it until the order is placed' }),
  number: Number_,
  place: Place,
});
export type QueueNumber = Static<typeof QueueNumber>;

const QueuePlace = named('QueuePlace', {
  state: oneOf(['drawing', 'waiting', 'admitted', 'missed'], {
    description:
      '`drawing`: places are not drawn yet. `admitted`: it is your turn, see `admission`. `missed`: your turn is over, take a new number',
  }),
  number: Number_,
  place: Place,
  turnAt: nullable(
    Type.String({ format: 'date-time', description: 'When the turn comes at the current rate, or when it came. Null if it is not known' }),
  ),
  admission: nullable(Type.String({ description: 'Send it as `admission` with the order' })),
  expiresAt: nullable(Type.String({ format: 'date-time', description: 'Until when the admission is valid' })),
});
export type QueuePlace = Static<typeof QueuePlace>;

const idParams = Type.Object({ id: Id });
const exampleRoom = {
  state: 'open',
  opensAt: '2026-11-20 10:00:00',
  admitPerMinute: 600,
  perMinute: 600,
  minutes: 10,
  ordersPerPlace: 2,
  waiting: 14_210,
  admitted: 5_790,
  commitment: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
};
const exampleTicket = 'n.12.4711.Zb3xYq0R1m6iJtTnJ0gq6w';

export const waitingRoomContract = {
  getQueue: route({
    method: 'GET',
    path: '/queue/{id}',
    group: 'shop',
    summary: 'Get the state of a waiting room',
    description:
      'Returns how far the queue of an event has advanced, and how fast it advances. The response is the same for everybody and changes only when the rate changes, so waiting visitors can compute from it when their turn comes. Poll it every few seconds. Returns 404 if the event has no waiting room.',
    access: anyone,
    params: idParams,
    answer: { status: 200, body: Queue },
    cached: { tag: 'path.id', browsers: true },
    examples: {
      params: { id: 12 },
      answer: {
        eventId: 12,
        state: 'open',
        opensAt: '2026-11-20T13:00:00.000Z',
        minutes: 10,
        watermark: { place: 0, at: '2026-11-20T13:00:00.000Z', perMinute: 600 },
        nextChange: null,
        draw: {
          commitment: exampleRoom.commitment,
          seed: '60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752',
          first: 1,
          last: 20_000,
        },
      },
    },
  }),
  joinQueue: route({
    method: 'POST',
    path: '/queue/{id}/numbers',
    group: 'shop',
    summary: 'Get a number in the queue',
    description:
      'Returns a new signed number. Numbers that are handed out before the opening take part in a draw, which decides their places. Later numbers are places already. Keep `ticket`: it is the only proof of the place. Returns 404 if the event has no waiting room.',
    access: anyone,
    params: idParams,
    answer: { status: 201, body: QueueNumber },
    batched: true,
    unaudited: 'Thousands of anonymous visitors take a number, and a number is no change of the event',
    examples: { params: { id: 12 }, answer: { ticket: exampleTicket, number: 4711, place: null } },
  }),
  claimPlace: route({
    method: 'POST',
    path: '/queue/{id}/place',
    group: 'shop',
    summary: 'Get the place of a number, and the admission when its turn has come',
    description:
      'Returns the place of a number. When its turn has come, the response has an `admission` that is valid for the minutes that the event sets. An admission ends at the latest after twice these minutes since the turn. The same number can be used on several devices. Ask once after the opening, and once when the turn has come: `GET /queue/{id}` says when.',
    access: anyone,
    params: idParams,
    body: closed({ ticket: Ticket }),
    answer: { status: 200, body: QueuePlace },
    problems: ['rule_violation'],
    batched: true,
    unaudited: 'Only computes the place; nothing of the event changes',
    examples: {
      params: { id: 12 },
      body: { ticket: exampleTicket },
      answer: {
        state: 'admitted',
        number: 4711,
        place: 812,
        turnAt: '2026-11-20T13:01:21.200Z',
        admission: 'a.12.4711.1795180900000.Zb3xYq0R1m6iJtTnJ0gq6w',
        expiresAt: '2026-11-20T13:11:40.000Z',
      },
    },
  }),
  getWaitingRoom: route({
    method: 'GET',
    path: '/event/{id}/waiting-room',
    group: 'event',
    summary: 'Get the waiting room of an event',
    description: 'Returns the settings of the waiting room, and how many visitors wait and were admitted.',
    access: permitted('event.read', { event: 'path.id' }),
    params: idParams,
    answer: { status: 200, body: WaitingRoom },
    examples: { params: { id: 12 }, answer: exampleRoom },
  }),
  updateWaitingRoom: route({
    method: 'PUT',
    path: '/event/{id}/waiting-room',
    group: 'event',
    summary: 'Set up or change the waiting room of an event',
    description:
      'Turns the waiting room on, or changes the fields that are present. While it is on, orders through the web shop and the app need an admission. Crew members who may sell at the event need none. `opensAt` is required to turn it on, and cannot be changed after the opening. A time in the past opens the waiting room at once. A new waiting room starts with a new draw, and numbers of an earlier waiting room are no longer valid.',
    access: permitted('event.manage', { event: 'path.id' }),
    params: idParams,
    body: WaitingRoomChanges,
    answer: { status: 200, body: WaitingRoom },
    problems: ['rule_violation'],
    examples: {
      params: { id: 12 },
      body: { opensAt: '2026-11-20 10:00:00', admitPerMinute: 600 },
      answer: { ...exampleRoom, state: 'before', waiting: 0, admitted: 0 },
    },
  }),
  openWaitingRoom: route({
    method: 'POST',
    path: '/event/{id}/waiting-room/open',
    group: 'event',
    summary: 'Open the waiting room now',
    description:
      'Draws the places and begins to admit visitors, before `opensAt`. Returns 409 `wrong_state` if the waiting room is off or open.',
    access: permitted('event.manage', { event: 'path.id' }),
    params: idParams,
    answer: { status: 200, body: WaitingRoom },
    problems: ['wrong_state'],
    examples: { params: { id: 12 }, answer: exampleRoom },
  }),
  deleteWaitingRoom: route({
    method: 'DELETE',
    path: '/event/{id}/waiting-room',
    group: 'event',
    summary: 'Turn off the waiting room of an event',
    description: 'Everybody may order from now on. Returns 409 `wrong_state` if the waiting room is off.',
    access: permitted('event.manage', { event: 'path.id' }),
    params: idParams,
    answer: { status: 204 },
    problems: ['wrong_state'],
    examples: { params: { id: 12 } },
  }),
};
