import { createHash } from 'node:crypto';
import type { JSX } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { Frame, Rendered, RenderPage, ShopPage } from '../../src/web/contract.ts';
import { type Messages, messagesOf } from '../messages/catalogues.ts';
import { fill } from '../messages/fill.ts';
import base from '../ui/base.css?inline';
import { dayRange } from '../ui/format.ts';
import tokens from '../ui/tokens.css?inline';
import { Document, type Head } from './document.tsx';
import cards from './event-card.css?inline';
import layout from './layout.css?inline';
import { Layout } from './layout.tsx';
import { categoryName } from './page.ts';
import eventStyles from './pages/event.css?inline';
import { EventView } from './pages/event.tsx';
import homeStyles from './pages/home.css?inline';
import { Home } from './pages/home.tsx';
import problemStyles from './pages/problem.css?inline';
import { ProblemView } from './pages/problem.tsx';
import producerStyles from './pages/producer.css?inline';
import { Producer } from './pages/producer.tsx';
import searchStyles from './pages/search.css?inline';
import { Search, searchTitle } from './pages/search.tsx';

/** A page carries its styles in its head, so that it needs no second request before it is shown. The policy allows them by their hash. */
interface Styles {
  text: string;
  hash: string;
}

function stylesOf(...parts: string[]): Styles {
  const text = [tokens, base, layout, ...parts].join('\n');
  return { text, hash: createHash('sha256').update(text).digest('base64') };
}

const styles: Record<ShopPage['kind'], Styles> = {
  home: stylesOf(cards, homeStyles),
  search: stylesOf(cards, searchStyles),
  event: stylesOf(cards, eventStyles),
  producer: stylesOf(cards, producerStyles),
  problem: stylesOf(problemStyles),
};

interface View {
  head: Head;
  body: JSX.Element;
  /** The text in the search field of the header. */
  term?: string;
}

/** Turns the data of a page into HTML. To add a page, add its data to `src/web/contract.ts`, then a case here and its styles above. */
function viewOf(frame: Frame, t: Messages, page: ShopPage): View {
  const props = { frame, t };
  switch (page.kind) {
    case 'home':
      return { head: { title: `Tessera: ${t.home.title}`, description: t.home.description }, body: <Home {...props} page={page} /> };
    case 'search': {
      const title = page.category ? fill(t.search.categoryTitle, { name: categoryName(t, page.category) }) : searchTitle({ t, page });
      const head = { title: `${title} · Tessera`, description: t.search.description, hidden: page.filters.q !== '' };
      return { head, body: <Search {...props} page={page} />, term: page.filters.q };
    }
    case 'event':
      return { head: eventHead(frame, t, page), body: <EventView {...props} page={page} /> };
    case 'producer': {
      const title = fill(t.producer.title, { name: page.name });
      const head = { title: `${title} · Tessera`, description: page.description?.slice(0, 200) ?? title };
      return { head, body: <Producer {...props} page={page} /> };
    }
    case 'problem':
      return {
        head: { title: `${t.problem[`${page.problem}Title`]} · Tessera`, description: '', hidden: true },
        body: <ProblemView {...props} page={page} />,
      };
  }
}

function eventHead({ locale }: Frame, t: Messages, page: ShopPage & { kind: 'event' }): Head {
  const { title, start, finish, venue, poster, jsonLd, status } = page;
  const day = start && finish ? dayRange(start, finish, locale) : '';
  const place = [venue?.name, venue?.city].filter(Boolean).join(', ');
  return {
    title: `${[title, day].filter(Boolean).join(' · ')} · Tessera`,
    description: page.subtitle ?? fill(t.event.description, { title, date: day, place }),
    image: poster.wide,
    type: 'event',
    jsonLd,
    hidden: status === 'private' || status === 'cancelled',
    script: 'event',
  };
}

export const renderPage: RenderPage = (frame, page): Rendered => {
  const t = messagesOf(frame.locale);
  const { head, body, term } = viewOf(frame, t, page);
  const { text, hash } = styles[page.kind];
  const html = renderToString(
    <Document frame={frame} head={head} styles={text}>
      <Layout frame={frame} t={t} {...(term !== undefined && { term })}>
        {body}
      </Layout>
    </Document>,
  );
  return { html: `<!doctype html>${html}`, styleHash: hash };
};
