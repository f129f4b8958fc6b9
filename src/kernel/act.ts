import type { CrewRole, Permission, ProducerRole } from './access.ts';
import type { Locale } from './locale.ts';

export interface Anonymous {
  kind: 'anonymous';
}

/** The service itself: a command or a background job. */
export interface System {
  kind: 'system';
  name: string;
}

/** A signed-in person, or an API token of that person. Roles are read from the database at every request. */
export interface User {
  kind: 'user';
  id: number;
  email: string;
  name: string;
  admin: boolean;
  producers: ReadonlyMap<number, ProducerRole>;
  crew: ReadonlyMap<number, CrewRole>;
  /** Null for an API token. */
  sessionId: string | null;
  /** The limits of an API token. Null for a signed-in person. */
  token: {
    id: number;
    permissions: ReadonlySet<Permission>;
    eventIds: ReadonlySet<number> | null;
    /** Sales channels that the token may order through. Null means all. */
    channels: ReadonlySet<number> | null;
  } | null;
}

/** A phone or scanner at the door of one event, recognized by its own token. It has no user and may only check in. */
export interface Device {
  kind: 'device';
  id: number;
  eventId: number;
  name: string;
  /** The gate at which the device is used. Null if the steward chooses it. */
  gate: string | null;
}

export type Actor = Anonymous | System | User | Device;

/** A text that is different for each user and each device. Callers without a token share one text. */
export function callerKey(actor: Actor): string {
  if (actor.kind === 'user') return `user:${actor.id}`;
  return actor.kind === 'device' ? `device:${actor.eventId}:${actor.id}` : 'anonymous';
}

/** Who calls which operation, and when. It is the second argument of every use-case that writes. */
export interface Act<A extends Actor = Actor> {
  actor: A;
  /** The operation's name. Contract, client, use-case and audit log use the same name. */
  operation: string;
  at: Date;
  requestId: string;
  /** The caller's IP address. Null for commands and jobs. */
  address: string | null;
  /** The `User-Agent` header. Missing for commands, jobs and pages. */
  userAgent?: string | null;
  /** The best supported language in the caller's `Accept-Language` header. Null when there is none. */
  locale: Locale | null;
  /** The number of audit entries written so far. A write that ends with zero entries is rolled back as a bug. */
  recorded: number;
}

export function systemAct(name: string, at: Date): Act<System> {
  return { actor: { kind: 'system', name }, operation: name, at, requestId: `system:${name}`, address: null, locale: null, recorded: 0 };
}
