import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Client } from '../../../client/src/index.ts';
import type { Permission } from '../../../src/kernel/access.ts';
import type { Locale } from '../../../src/kernel/locale.ts';
import type { FrameMessages } from '../../messages/console/frame.en.ts';
import type { Me, Scope } from './access.ts';

export interface ConsoleContext {
  client: Client;
  /** The texts of the frame and of the parts. `useMessages` returns those of an area. */
  t: FrameMessages;
  locale: Locale;
  setLocale(locale: Locale): void;
  /** The signed-in user. Null on the few screens that are shown without signing in. */
  me: Me | null;
  /** Reads the roles of the user again, for example after a producer was created. */
  reloadMe(): Promise<void>;
  /** Call it with the user of a log-in. */
  signedIn(user: Me): void;
  signOut(): Promise<void>;
  /** Whether the user has the permission: in an event, in a producer, or in any producer. Inside an event, use `useEvent().can`. */
  can(permission: Permission | 'admin', scope?: Scope): boolean;
  openSearch(): void;
}

export const ConsoleValue = createContext<ConsoleContext>({} as ConsoleContext);

export const useConsole = (): ConsoleContext => useContext(ConsoleValue);
export const useClient = (): Client => useConsole().client;

export const AreaMessages = createContext<object>({});

/** The texts of the area that the screen belongs to: `const t = useMessages<OrdersMessages>()`. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- The area knows the type of its own texts.
export const useMessages = <M extends object>(): M => useContext(AreaMessages) as M;
