import Type from 'typebox';
import { Id, named } from '../kernel/schema.ts';

export const idParams = Type.Object({ id: Id });

export const Person = named('Person', { id: Id, name: Type.String(), email: Type.String() });

export const Invited = Type.Boolean({
  description:
    'true while the invited person has not logged in. Until then, `user` has the e-mail and name that the inviter typed, and `user.id` is the id of the invitation. This id works in the paths of this list, even after the person has logged in.',
});

export const invitedPerson = { id: 1_000_000_000_007, name: 'ana', email: 'ana@example.com' };

export const exampleTimes = { createdAt: '2026-11-15T12:00:00.000Z', updatedAt: '2026-11-15T12:00:00.000Z' };
