import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { type Locale, localeOfHeader } from '../../src/kernel/locale.ts';
import { type DoorMessages, doorMessagesOf } from '../messages/door-catalogues.ts';
import '../ui/tokens.css';
import '../ui/base.css';
import './door.css';
import { openDatabase } from './database.ts';
import { Door } from './door.ts';
import { unlockSound } from './feedback.ts';
import { App, useApp } from './screens/context.ts';
import { Panel } from './screens/panel.tsx';
import { Scan } from './screens/scan.tsx';
import { workerUrl } from './trusted-url.ts';

const updateMs = 5_000;
const localeKey = 'tessera-door-locale';

const preferredLocale = (): Locale => localeOfHeader(localStorage.getItem(localeKey) ?? navigator.languages.join(',')) ?? 'en';

function Screen() {
  const { state } = useApp();
  if (state.stage === 'starting') return null;
  if (state.trouble && state.stage === 'scan') return <Panel name="Trouble" props={{ kind: state.trouble }} />;
  if (state.stage === 'signIn') return <Panel name="SignIn" props={{}} />;
  return state.stage === 'choose' ? <Panel name="Choose" props={{}} /> : <Scan />;
}

function Root({ door, messages }: { door: Door; messages: DoorMessages }) {
  const [t, setMessages] = useState(messages);
  const [locale, setCurrent] = useState(preferredLocale());
  const [update, setUpdate] = useState<(() => void) | null>(null);
  const setLocale = async (next: Locale) => {
    localStorage.setItem(localeKey, next);
    setMessages(await doorMessagesOf(next));
    setCurrent(next);
  };
  useEffect(() => {
    document.documentElement.lang = locale;
  }, [locale]);
  useEffect(() => void registerServiceWorker((apply) => setUpdate(() => apply)), []);
  return (
    <App.Provider value={{ door, t, locale, setLocale: (next) => void setLocale(next), update }}>
      <Screen />
    </App.Provider>
  );
}

/** Installs the service worker. A new version waits until the steward installs it or closes the app. */
async function registerServiceWorker(onWaiting: (apply: () => void) => void): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  const registration = await navigator.serviceWorker.register(workerUrl('/door/service-worker.js'), { scope: '/door/' }).catch(() => null);
  const offer = () => {
    const { waiting } = registration ?? {};
    if (!waiting || !navigator.serviceWorker.controller) return;
    onWaiting(() => {
      navigator.serviceWorker.addEventListener('controllerchange', () => location.reload());
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- Messages to a worker have no origin.
      waiting.postMessage('update');
    });
  };
  registration?.addEventListener('updatefound', () => registration.installing?.addEventListener('statechange', offer));
  offer();
}

async function start(): Promise<void> {
  const address = location.href;
  // The address contains the token of the device. It must not stay in the history.
  if (location.hash !== '') history.replaceState(null, '', location.pathname);
  const [db, messages] = await Promise.all([openDatabase(), doorMessagesOf(preferredLocale())]);
  const door = await Door.open(db);
  render(<Root door={door} messages={messages} />, document.querySelector('#door') as Element);
  void navigator.storage?.persist?.();
  // Also after a reload, which goes to the scans without any button.
  addEventListener('pointerdown', unlockSound, { once: true });
  await door.start(address);
  setInterval(() => void door.update(), updateMs);
  addEventListener('online', () => void door.update());
  document.addEventListener('visibilitychange', () => void door.update());
  addEventListener('hashchange', () => location.reload());
}

void start();
