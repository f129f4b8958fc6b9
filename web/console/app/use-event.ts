import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { AnswerOf } from '../../../client/src/index.ts';
import type { Permission } from '../../../src/kernel/access.ts';

export type EventData = Required<AnswerOf<'getEvent'>>;

export interface EventContext {
  event: EventData;
  /** The version for `If-Match`. */
  version: string | undefined;
  /** Whether the user has the permission in this event. */
  can(permission: Permission): boolean;
  reload(): Promise<void>;
  /** Replaces the event with the answer of a write. */
  set(event: EventData): void;
}

export const EventValue = createContext<EventContext | null>(null);

/** The event of the address. Only for screens whose path has `:eventId`; it is loaded once for all of them. */
export function useEvent(): EventContext {
  const value = useContext(EventValue);
  if (!value) throw new Error('The path of this screen has no :eventId');
  return value;
}
