import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Locale } from '../../../src/kernel/locale.ts';
import type { DoorMessages } from '../../messages/door-catalogues.ts';
import type { Door } from '../door.ts';
import type { DoorState } from '../door-state.ts';
import { useStore } from '../store.ts';

/** What every screen uses. */
export interface AppContext {
  door: Door;
  t: DoorMessages;
  locale: Locale;
  setLocale(locale: Locale): void;
  /** A new version is installed and waits. */
  update: (() => void) | null;
}

export const App = createContext<AppContext | null>(null);

export function useApp(): AppContext & { state: DoorState; time: (ms: number) => string } {
  const app = useContext(App);
  if (!app) throw new Error('There is no app around this component');
  const state = useStore(app.door.state);
  const time = (ms: number) => new Intl.DateTimeFormat(app.locale, { hour: '2-digit', minute: '2-digit' }).format(ms);
  return { ...app, state, time };
}
