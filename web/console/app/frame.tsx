import type { ComponentChildren } from 'preact';
import { type Locale, locales } from '../../../src/kernel/locale.ts';
import { Icon } from '../../ui/icon.tsx';
import * as icons from '../../ui/icons.ts';
import { Logo } from '../../ui/logo.tsx';
import { Menu } from '../parts/menu.tsx';
import { useConsole } from './console.ts';
import { eventNavigation, isAllowedIn, mainNavigation, visibleEntries } from './navigation.ts';
import { matchPath, to, usePlace } from './place.ts';
import type { EventContext } from './use-event.ts';
import { routes } from './use-screen.ts';

interface FrameProps {
  /** The event of the address, when it is loaded. */
  event: EventContext | null;
  /** The navigation that the screen belongs to. The browser tests wait for it. */
  visit: number;
  children: ComponentChildren;
}

/** The bar at the top, the menu at the left, or at the bottom of a phone, and the screen. */
export function Frame({ event, visit, children }: FrameProps) {
  const { t } = useConsole();
  return (
    <>
      <a class="skip" href="#main">
        {t.skip}
      </a>
      <TopBar event={event} />
      <div class="body">
        <Rail event={event} />
        <main id="main" class="main" tabIndex={-1} data-visit={visit}>
          {children}
        </main>
      </div>
    </>
  );
}

function TopBar({ event }: Pick<FrameProps, 'event'>) {
  const { t, openSearch } = useConsole();
  return (
    <header class="top">
      <a class="top-home" href={to('/')} aria-label={t.nav.events}>
        <Logo size={30} />
      </a>
      {event && (
        <button type="button" class="switcher" onClick={openSearch} aria-label={`${event.event.title}. ${t.search.switchEvent}`}>
          <span class="switcher-title">{event.event.title}</span>
          <span class={`pill ${event.event.status}`}>{t.status[event.event.status]}</span>
          <Icon path={icons.chevron} size={18} />
        </button>
      )}
      <button type="button" class="top-search" onClick={openSearch} aria-label={t.search.open}>
        <Icon path={icons.search} size={18} />
        <span>{t.search.open}</span>
        <kbd>{/Mac|iPhone|iPad/.test(navigator.platform) ? '⌘K' : 'Ctrl K'}</kbd>
      </button>
      <AccountMenu />
    </header>
  );
}

const languageNames: Record<Locale, string> = { 'pt-BR': 'Português', en: 'English', es: 'Español' };

function AccountMenu() {
  const { t, me, locale, setLocale, signOut } = useConsole();
  const initials = (me?.name ?? '')
    .split(/\s+/)
    .map((word) => word[0] ?? '')
    .join('')
    .slice(0, 2)
    .toUpperCase();
  return (
    <Menu class="account-menu" label={t.account.menu} summary={<span class="avatar">{initials}</span>}>
      <p class="menu-who">
        <b>{me?.name}</b>
        <span class="soft small">{me?.email}</span>
      </p>
      {routes.some(({ path }) => path === '/account') && (
        <a class="menu-item" href={to('/account')}>
          <Icon path={icons.person} size={18} />
          {t.account.settings}
        </a>
      )}
      <fieldset class="languages">
        <legend class="small soft">{t.account.language}</legend>
        {locales.map((code) => (
          <button key={code} type="button" class="menu-item" lang={code} aria-pressed={code === locale} onClick={() => setLocale(code)}>
            {languageNames[code]}
            {code === locale && <Icon path={icons.check} size={18} />}
          </button>
        ))}
      </fieldset>
      <button type="button" class="menu-item" onClick={() => void signOut()}>
        <Icon path={icons.signOut} size={18} />
        {t.account.signOut}
      </button>
    </Menu>
  );
}

const inBottomBar = 4;

function Rail({ event }: Pick<FrameProps, 'event'>) {
  const { t, can } = useConsole();
  const { path } = usePlace();
  const params = event ? { eventId: String(event.event.id) } : {};
  const entries = visibleEntries(event ? eventNavigation : mainNavigation, routes, params, isAllowedIn(event, can));
  // The longest path that the address starts with, so that an order is part of "Orders" and not of "Overview".
  const current = entries
    .filter((entry) => path === entry.path || path.startsWith(`${entry.path}/`))
    .toSorted((a, b) => b.path.length - a.path.length)[0];
  const link = (entry: (typeof entries)[number]) => (
    <a key={entry.path} class="rail-link" href={to(entry.path)} {...(entry === current && { 'aria-current': 'page' })}>
      <Icon path={entry.icon} />
      <span>{t.nav[entry.label]}</span>
    </a>
  );
  if (entries.length < 2) return null;
  const isCrowded = entries.length > inBottomBar + 1;
  const [first, others] = isCrowded ? [entries.slice(0, inBottomBar), entries.slice(inBottomBar)] : [entries, []];
  return (
    <nav class="rail" aria-label={event ? t.nav.event : t.nav.main}>
      {first.map(link)}
      <div class="rail-others">{others.map(link)}</div>
      {others.length > 0 && (
        <Menu
          class="rail-more"
          summary={
            <span class={`rail-link ${current && others.includes(current) ? 'current' : ''}`}>
              <Icon path={icons.menu} />
              <span>{t.nav.more}</span>
            </span>
          }
        >
          {others.map(link)}
        </Menu>
      )}
    </nav>
  );
}

/** The number of the event in the address, if there is one. */
export const eventIdOf = (path: string): string | undefined => {
  const [, first, id] = path.split('/');
  return first === 'events' && id !== undefined && matchPath('/:eventId', `/${id}`) ? id : undefined;
};
