import type { ComponentChildren } from 'preact';
import { type Locale, locales } from '../../src/kernel/locale.ts';
import { Icon } from '../ui/icon.tsx';
import * as icons from '../ui/icons.ts';
import { Logo } from '../ui/logo.tsx';
import { categoryName, href, type PageProps } from './page.ts';

const languageNames: Record<Locale, string> = { 'pt-BR': 'Português', en: 'English', es: 'Español' };

interface LayoutProps extends PageProps {
  /** The text in the search field of the header. */
  term: string;
  /** What the header shows instead of the search, while the buyer should not be led away. The footer then has no links. */
  tool?: ComponentChildren;
  children: ComponentChildren;
}

/** The header and footer of the shop around the content of a page. */
export const Layout = ({ frame, t, term, tool, children }: LayoutProps) => (
  <>
    <a class="skip" href="#content">
      {t.common.skip}
    </a>
    <header class="site-header">
      <div class="wrap site-header-row">
        <a class="site-brand" href={href(frame, '/')} aria-label={`Tessera, ${t.common.home}`}>
          <Logo />
          <span class="site-brand-name">Tessera</span>
        </a>
        {tool ?? <SearchForm frame={frame} t={t} term={term} />}
        <LanguageMenu frame={frame} t={t} />
      </div>
    </header>
    <main id="content" tabIndex={-1}>
      {children}
    </main>
    <Footer frame={frame} t={t} hasLinks={!tool} />
  </>
);

const SearchForm = ({ frame, t, term }: PageProps & { term: string }) => (
  <>
    <form class="site-search" action={href(frame, '/search')} role="search">
      <Icon path={icons.search} size={18} />
      <input
        type="search"
        name="q"
        maxLength={100}
        value={term}
        placeholder={t.common.searchEvents}
        aria-label={t.common.searchEvents}
        autocomplete="off"
      />
    </form>
    <a class="icon-button site-search-link" href={href(frame, '/search')} aria-label={t.common.search}>
      <Icon path={icons.search} />
    </a>
  </>
);

/** A details element, so that the menu works without JavaScript. */
const LanguageMenu = ({ frame, t }: PageProps) => (
  <details class="menu">
    <summary class="icon-button">
      <Icon path={icons.globe} />
      <span class="visually-hidden">{t.common.language}: </span>
      <span class="menu-value">{frame.locale.slice(0, 2).toUpperCase()}</span>
    </summary>
    <ul class="menu-list">
      {locales.map((locale) => (
        <li>
          <a
            href={`/${locale}${frame.path}${frame.query}`}
            lang={locale}
            hreflang={locale}
            {...(locale === frame.locale && { 'aria-current': 'true' })}
          >
            {languageNames[locale]}
            {locale === frame.locale && <Icon path={icons.check} size={18} />}
          </a>
        </li>
      ))}
    </ul>
  </details>
);

const Footer = ({ frame, t, hasLinks }: PageProps & { hasLinks: boolean }) => (
  <footer class="site-footer">
    <div class="wrap site-footer-row">
      <div class="site-footer-about">
        <Logo size={28} />
        <p class="soft small">
          {t.common.builtWith}
          {frame.testMoney && <strong class="test-money"> {t.common.testShop}</strong>}
        </p>
      </div>
      {hasLinks && (
        <nav class="site-footer-links" aria-label={t.common.morePages}>
          <a href={href(frame, '/search')}>{t.common.allEvents}</a>
          {frame.categories.slice(0, 8).map((category) => (
            <a href={href(frame, `/${category.slug}`)}>{categoryName(t, category)}</a>
          ))}
          <a href="/docs">{t.common.documents}</a>
        </nav>
      )}
    </div>
  </footer>
);
