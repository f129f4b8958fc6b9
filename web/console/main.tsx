import { render } from 'preact';
import '../ui/tokens.css';
import '../ui/base.css';
import './console.css';
import './parts/parts.css';
import { frameMessagesOf, preferredLocale } from './app/language.ts';
import { watchNavigation } from './app/place.ts';
import { Root } from './app/root.tsx';
import { Session } from './app/session.ts';
import { StartFailed } from './app/start-failed.tsx';

async function start(): Promise<void> {
  const element = document.querySelector('#console') as Element;
  const locale = preferredLocale();
  const session = new Session(preferredLocale);
  watchNavigation();
  const [messages, resumed] = await Promise.all([
    frameMessagesOf(locale),
    session.resume().then(
      () => true,
      () => false,
    ),
  ]);
  render(resumed ? <Root session={session} first={{ locale, messages }} /> : <StartFailed t={messages} />, element);
}

void start();
