import { createHash } from 'node:crypto';
import type { JSX } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { Rendered, RenderPage, ShopPage } from '../../src/web/contract.ts';
import { messagesOf } from '../messages/catalogues.ts';
import { fill } from '../messages/fill.ts';
import base from '../ui/base.css?inline';
import { dayRange } from '../ui/format.ts';
import tokens from '../ui/tokens.css?inline';
import { Document, type Head } from './document.tsx';
import cards from './event-card.css?inline';
import layout from './layout.css?inline';
import { Layout } from './layout.tsx';
import { categoryName, type PageProps } from './page.ts';
import embedStyles from './pages/embed.css?inline';
import { EmbedView } from './pages/embed.tsx';
import eventStyles from './pages/event.css?inline';
import { EventView } from './pages/event.tsx';
import homeStyles from './pages/home.css?inline';
import { Home } from './pages/home.tsx';
import orderStyles from './pages/order/order.css?inline';
import { Countdown, isHeld, OrderView, orderTitle } from './pages/order/order.tsx';
import problemStyles from './pages/problem.css?inline';
import { ProblemView } from './pages/problem.tsx';
import producerStyles from './pages/producer.css?inline';
import { Producer } from './pages/producer.tsx';
import queueStyles from './pages/queue.css?inline';
import { QueueView } from './pages/queue.tsx';
import searchStyles from './pages/search.css?inline';
import { Search, searchTitle } from './pages/search.tsx';
import waitingStyles from './pages/waiting.css?inline';
import { WaitingView, waitingTexts } from './pages/waiting.tsx';
import ticketStyles from './tickets.css?inline';

/** A page carries its styles in its head, so that it needs no second request before it is shown. The policy allows them by their hash. */
interface Styles {
  text: string;
  hash: string;
}

function stylesOf(...parts: string[]): Styles {
  const text = [tokens, base, layout, ...parts].join('\n');
  return { text, hash: createHash('sha256').update(text).digest('base64') };
}

type PageOf<K extends ShopPage['kind']> = Extract<ShopPage, { kind: K }>;

interface Definition<P extends ShopPage> {
  styles: Styles;
  head(props: PageProps, page: P): Head;
  body(props: PageProps, page: P): JSX.Element;
}

/** All pages by the kind of their data. */
const definitions: { [K in ShopPage['kind']]: Definition<PageOf<K>> } = {
  home: {
    styles: stylesOf(cards, homeStyles),
    head: ({ t }) => ({ title: `Tessera: ${t.home.title}`, description: t.home.description }),
    body: (props, page) => <Home {...props} page={page} />,
  },
  search: {
    styles: stylesOf(cards, searchStyles),
    head: ({ t }, page) => {
      const title = page.category ? fill(t.search.categoryTitle, { name: categoryName(t, page.category) }) : searchTitle({ t, page });
      return { title: `${title} · Tessera`, description: t.search.description, hidden: page.filters.q !== '' };
    },
    body: (props, page) => <Search {...props} page={page} />,
  },
  event: {
    styles: stylesOf(cards, eventStyles),
    head: eventHead,
    body: (props, page) => <EventView {...props} page={page} />,
  },
  embed: {
    styles: stylesOf(eventStyles, embedStyles),
    head: (_props, { event }) => ({ title: event.title, description: '', hidden: true, script: 'embed', opensTabs: true }),
    body: (props, page) => <EmbedView {...props} page={page} />,
  },
  producer: {
    styles: stylesOf(cards, producerStyles),
    head: ({ t }, { name, description }) => {
      const title = fill(t.producer.title, { name });
      return { title: `${title} · Tessera`, description: description?.slice(0, 200) ?? title };
    },
    body: (props, page) => <Producer {...props} page={page} />,
  },
  order: {
    styles: stylesOf(ticketStyles, orderStyles),
    head: (props, page) => ({
      title: `${orderTitle(props, page)} · ${page.event.title} · Tessera`,
      description: '',
      hidden: true,
      script: 'order',
      ...(page.payment?.script && { component: page.payment.script }),
    }),
    body: (props, page) => <OrderView {...props} page={page} />,
  },
  waiting: {
    styles: stylesOf(waitingStyles),
    head: (props, page) => ({
      title: `${waitingTexts({ ...props, page }).title} · ${page.event.title} · Tessera`,
      description: '',
      hidden: true,
    }),
    body: (props, page) => <WaitingView {...props} page={page} />,
  },
  queue: {
    styles: stylesOf(queueStyles),
    head: ({ t }, { event, own }) => ({
      title: `${t.queue.title} · ${event.title} · Tessera`,
      description: '',
      hidden: true,
      script: 'queue',
      ...(own && own.state !== 'missed' && { refreshSeconds: 20 }),
    }),
    body: (props, page) => <QueueView {...props} page={page} />,
  },
  problem: {
    styles: stylesOf(problemStyles),
    head: ({ t }, { problem }) => ({ title: `${t.problem[`${problem}Title`]} · Tessera`, description: '', hidden: true }),
    body: (props, page) => <ProblemView {...props} page={page} />,
  },
};

function eventHead({ frame: { locale }, t }: PageProps, page: PageOf<'event'>): Head {
  const { title, start, finish, venue, poster, jsonLd, status } = page;
  const day = start && finish ? dayRange(start, finish, locale) : '';
  const place = [venue?.name, venue?.city].filter(Boolean).join(', ');
  return {
    title: `${[title, day].filter(Boolean).join(' · ')} · Tessera`,
    description: page.subtitle ?? fill(t.event.description, { title, date: day, place }),
    // Chats and social networks show no SVG.
    image: poster.wide.src.endsWith('.svg') ? null : poster.wide,
    type: 'event',
    jsonLd,
    hidden: status === 'private' || status === 'cancelled' || page.preview !== null,
    script: 'event',
  };
}

/** Turns the data of a page into HTML. */
export const renderPage: RenderPage = (frame, page): Rendered => {
  const props = { frame, t: messagesOf(frame.locale) };
  const { styles, head, body } = definitions[page.kind] as Definition<ShopPage>;
  const html = renderToString(
    <Document frame={frame} head={head(props, page)} styles={styles.text}>
      {page.kind === 'embed' ? (
        body(props, page)
      ) : (
        <Layout
          {...props}
          term={page.kind === 'search' ? page.filters.q : ''}
          {...(page.kind === 'order' && isHeld(page) && { tool: <Countdown {...props} page={page} /> })}
        >
          {body(props, page)}
        </Layout>
      )}
    </Document>,
  );
  return { html: `<!doctype html>${html}`, styleHash: styles.hash };
};
