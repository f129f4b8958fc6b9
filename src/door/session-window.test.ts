import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { closesAt, type DoorSession, doorsAt, opensAt, sessionAt } from './session-window.ts';

const hour = 3_600_000;
const session = (id: number, starts: number, hours: number): DoorSession => ({
  id,
  name: `S${id}`,
  startsAt: starts * hour,
  finishesAt: (starts + hours) * hour,
});
const [afternoon, evening, nextDay] = [session(1, 100, 2), session(2, 105, 3), session(3, 129, 3)];
const all = [nextDay, afternoon, evening];
const at = (hours: number) => sessionAt(all, hours * hour)?.id;

describe('sessionAt', () => {
  it.each([
    ['chooses the first session long before all of them', 10, 1],
    ['chooses the running session if the doors of two are open', 101, 1],
    ['chooses the next session between two with open doors', 103, 2],
    ['chooses the later session after two with open doors', 109, 2],
    ['chooses the next session if no doors are open', 115, 3],
    ['chooses the last session after all of them', 500, 3],
  ])('%s', (_name, hours, id) => expect(at(hours)).toBe(id));

  it('chooses the session of an event with one session at any time', () => {
    fc.assert(
      fc.property(fc.integer(), (time) => {
        expect(sessionAt([evening], time)).toBe(evening);
      }),
    );
    expect(sessionAt([], 0)).toBeNull();
  });

  it('chooses a session with open doors if there is one, in any input order', () => {
    const sessions = fc.array(fc.tuple(fc.integer({ min: 0, max: 200 }), fc.integer({ min: 1, max: 30 })), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(sessions, fc.integer({ min: -20, max: 250 }), (spans, hours) => {
        const made = spans.map(([starts, length], i) => session(i + 1, starts, length));
        const chosen = sessionAt(made, hours * hour);
        const anyOpen = made.some((each) => doorsAt(each, hours * hour) === 'open');
        expect(chosen && doorsAt(chosen, hours * hour) === 'open').toBe(anyOpen);
        expect(sessionAt(made.toReversed(), hours * hour)).toBe(chosen);
      }),
    );
  });

  it('doorsAt returns open from 12 hours before the start until 6 hours after the finish', () => {
    expect([opensAt(evening), closesAt(evening)]).toEqual([93 * hour, 114 * hour]);
    expect([93 * hour - 1, 93 * hour, 114 * hour - 1, 114 * hour].map((time) => doorsAt(evening, time))).toEqual([
      'not_open_yet',
      'open',
      'open',
      'closed',
    ]);
  });
});
