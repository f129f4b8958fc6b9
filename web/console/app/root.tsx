import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import type { Locale } from '../../../src/kernel/locale.ts';
import type { FrameMessages } from '../../messages/console/frame.en.ts';
import { ConfirmProvider } from '../parts/confirm.tsx';
import { may } from './access.ts';
import { type ConsoleContext, ConsoleValue, useConsole } from './console.ts';
import { eventContext, useEventData } from './event-frame.tsx';
import { eventIdOf, Frame } from './frame.tsx';
import { frameMessagesOf, storeLocale } from './language.ts';
import { usePlace } from './place.ts';
import { ScreenOf } from './screen.tsx';
import { Search } from './search.tsx';
import type { Session } from './session.ts';
import { ToastProvider } from './toasts.tsx';
import { findRoute, useScreen } from './use-screen.ts';

interface RootProps {
  session: Session;
  first: { locale: Locale; messages: FrameMessages };
}

export function Root({ session, first }: RootProps) {
  const [{ locale, messages: t }, setLanguage] = useState(first);
  const [me, setMe] = useState(session.me);
  const [isSearching, setSearching] = useState(false);
  useEffect(() => {
    session.onChange = () => setMe(session.me);
  }, [session]);
  useEffect(() => {
    document.documentElement.lang = locale;
  }, [locale]);
  const openSearch = useCallback(() => setSearching(true), []);
  useSearchKey(openSearch);

  const value = useMemo(
    (): ConsoleContext => ({
      client: session.client,
      t,
      locale,
      setLocale: (next) => {
        storeLocale(next);
        void frameMessagesOf(next).then((messages) => setLanguage({ locale: next, messages }));
      },
      me,
      reloadMe: () => session.reload(),
      signedIn: (user) => session.signedIn(user),
      signOut: () => session.signOut(),
      can: (permission, scope) => me !== null && may(me, permission, scope),
      openSearch,
    }),
    [session, t, locale, me, openSearch],
  );
  return (
    <ConsoleValue.Provider value={value}>
      <ToastProvider>
        <ConfirmProvider>
          {/* After a change of the user nothing of the other one may stay. */}
          <Content key={me?.id ?? 0} isSignedIn={me !== null} isSearching={isSearching} onSearched={() => setSearching(false)} />
        </ConfirmProvider>
      </ToastProvider>
    </ConsoleValue.Provider>
  );
}

function useSearchKey(open: () => void): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey) || event.altKey || event.shiftKey) return;
      event.preventDefault();
      open();
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, [open]);
}

interface SearchState {
  isSearching: boolean;
  onSearched: () => void;
}

/** Signed out, every address shows the sign-in, and stays as it is. So the reader is at the right screen after signing in. */
function Content({ isSignedIn, ...search }: SearchState & { isSignedIn: boolean }) {
  const place = usePlace();
  const isOpen = findRoute(place.path)?.route.open === true;
  return isSignedIn && !isOpen ? <SignedIn {...search} /> : <Open path={isOpen ? place.path : '/sign-in'} />;
}

function Open({ path }: { path: string }) {
  const place = usePlace();
  const state = useScreen(useMemo(() => ({ ...place, path }), [place, path]));
  return <main class="alone">{state.kind !== 'loading' && <ScreenOf state={state} event={null} />}</main>;
}

function SignedIn({ isSearching, onSearched }: SearchState) {
  const { can } = useConsole();
  const place = usePlace();
  const state = useScreen(place);
  // The screen before stays until the next one is loaded. It needs its event until then.
  const eventOfShown = state.kind === 'shown' && state.visit !== place.visit ? state.screen.params.eventId : undefined;
  const loaded = useEventData(eventIdOf(place.path) ?? eventOfShown);
  const event = eventContext(loaded, can);
  return (
    <>
      <Frame event={event} visit={state.visit}>
        <ScreenOf state={state} event={loaded} />
      </Frame>
      {isSearching && <Search event={event} onClose={onSearched} />}
    </>
  );
}
