import Type, { type Static } from 'typebox';
import { route } from '../kernel/route.ts';
import { closed, Id, line, Moment, nullable, optional } from '../kernel/schema.ts';
import { exampleSession, idParams, manage, Session } from './event-schemas.ts';

const Capacity = nullable(
  Type.Integer({ minimum: 0, maximum: 100_000_000, description: 'Maximum number of tickets for this session; null for no limit' }),
);

const session = { name: line(200), start: Moment, finish: Moment };

const NewSession = closed({ ...session, capacity: Type.Optional(Capacity) });
export type NewSession = Static<typeof NewSession>;

const SessionChanges = closed(optional({ ...session, capacity: Capacity }), { minProperties: 1 });
export type SessionChanges = Static<typeof SessionChanges>;

const sessionReadOnly = optional({ id: Id, doorsOpenAt: Session.properties.doorsOpenAt, status: Session.properties.status });

export const sessionReadOnlyNames = Object.keys(sessionReadOnly);

const sessionParams = Type.Object({ id: Id, sessionId: Id });

export const ShiftDays = Type.Integer({ minimum: -36_500, maximum: 36_500, description: 'Whole days; 0 by default' });

export const sessionContract = {
  createSession: route({
    method: 'POST',
    path: '/event/{id}/session',
    group: 'event',
    summary: 'Add a session to an event',
    description:
      'A session is one date of the event. Times without an offset are in the time zone of the event. Returns 422 if `finish` is not after `start`.',
    access: manage,
    params: idParams,
    body: NewSession,
    answer: { status: 201, body: Session },
    problems: ['rule_violation'],
    versionOf: 'getEvent',
    examples: {
      params: { id: 12 },
      body: { name: 'Noite única', start: '2026-12-12 21:00:00', finish: '2026-12-13 03:00:00', capacity: 1200 },
      answer: exampleSession,
    },
  }),
  updateSession: route({
    method: 'PUT',
    path: '/event/{id}/session/{sessionId}',
    group: 'event',
    summary: 'Update a session',
    description:
      'Changes only the fields that are present. Returns 422 if `capacity` would be below the number of sold and held tickets. The response has these numbers in `sold` and `held`.',
    access: manage,
    params: sessionParams,
    body: closed({ ...SessionChanges.properties, ...sessionReadOnly }, { minProperties: 1 }),
    answer: { status: 200, body: Session },
    problems: ['rule_violation'],
    versionOf: 'getEvent',
    examples: { params: { id: 12, sessionId: 7 }, body: { capacity: 1200 }, answer: exampleSession },
  }),
  duplicateSession: route({
    method: 'POST',
    path: '/event/{id}/session/{sessionId}/duplicate',
    group: 'event',
    summary: 'Duplicate a session',
    description:
      'The copy has the same capacity and no sold tickets. `shiftDays` moves it by whole days and keeps its local time. Items without `sessionIds` are valid for the copy too. Add the copy to the `sessionIds` of other items.',
    access: manage,
    params: sessionParams,
    body: closed({ name: Type.Optional(line(200)), shiftDays: Type.Optional(ShiftDays) }),
    answer: { status: 201, body: Session },
    problems: ['rule_violation'],
    examples: { params: { id: 12, sessionId: 7 }, body: { name: 'Segunda noite', shiftDays: 1 }, answer: exampleSession },
  }),
  deleteSession: route({
    method: 'DELETE',
    path: '/event/{id}/session/{sessionId}',
    group: 'event',
    summary: 'Delete a session',
    description:
      'Returns 409 if items, orders or scans refer to the session, or if it is the only session of a published event. Remove the session from the `sessionIds` of items first.',
    access: manage,
    params: sessionParams,
    answer: { status: 204 },
    problems: ['wrong_state'],
    versionOf: 'getEvent',
    examples: { params: { id: 12, sessionId: 7 } },
  }),
};
