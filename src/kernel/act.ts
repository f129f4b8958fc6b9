import type { CrewRole, Permission, ProducerRole } from './access.ts';
import type { Locale } from './locale.ts';

export interface Anonymous {
  kind: 'anonymous';
}

/** The service itself: a command line, a job. */
export interface System {
  kind: 'system';
  name: string;
}

/** A person who signed in, or an API token acting for one. Roles are as the database has them at the time of the request. */
export interface User {
  kind: 'user';
  id: number;
  email: string;
  name: string;
  admin: boolean;
  producers: ReadonlyMap<number, ProducerRole>;
  crew: ReadonlyMap<number, CrewRole>;
  /** The session of a signed-in person; null for an API token. */
  sessionId: string | null;
  /** An API token may do no more than this; null for a signed-in person. */
  token: {
    id: number;
    permissions: ReadonlySet<Permission>;
    eventIds: ReadonlySet<number> | null;
    /** Sales channels it may order through; null for all. */
    channels: ReadonlySet<number> | null;
  } | null;
}

export type Actor = Anonymous | System | User;

/** Who does what, and when: the second argument of every use-case that writes. */
export interface Act<A extends Actor = Actor> {
  actor: A;
  /** The operation's name, the same in contract, client, use-case and audit log. */
  operation: string;
  at: Date;
  requestId: string;
  /** The network address of the caller, where there is one. */
  address: string | null;
  /** The language that the caller asks for, where they ask for one that we write. */
  locale: Locale | null;
  /** How many audit entries the act has written; the edge refuses a write that left none. */
  recorded: number;
}

export function systemAct(name: string, at: Date): Act<System> {
  return { actor: { kind: 'system', name }, operation: name, at, requestId: `system:${name}`, address: null, locale: null, recorded: 0 };
}
