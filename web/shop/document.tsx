import type { ComponentChildren } from 'preact';
import { type Locale, locales } from '../../src/kernel/locale.ts';
import type { Frame } from '../../src/web/contract.ts';
import { safeJson } from './safe-json.ts';

/** The parts of a page that are not visible in its body. */
export interface Head {
  title: string;
  description: string;
  /** The picture for previews in chats and social networks. */
  image?: { src: string; width: number; height: number } | null;
  type?: 'website' | 'event';
  jsonLd?: object;
  /** Search engines should not list the page. */
  hidden?: boolean;
  /** The name of the script of the page, see web/build.js. */
  script?: string;
  /** Links and forms open in a new tab. */
  opensTabs?: boolean;
  /** Without JavaScript the page is loaded again after this number of seconds. */
  refreshSeconds?: number;
  /** The address of a script on another server: the web component of a payment provider. */
  component?: string;
}

interface DocumentProps {
  frame: Frame;
  head: Head;
  styles: string;
  children: ComponentChildren;
}

const absolute = ({ origin }: Frame, address: string): string => (address.startsWith('/') ? origin + address : address);
const openGraphLocales: Record<Locale, string> = { 'pt-BR': 'pt_BR', en: 'en_US', es: 'es_ES' };

export function Document({ frame, head, styles, children }: DocumentProps) {
  const { locale, path } = frame;
  const script = head.script === undefined ? undefined : frame.scripts[head.script];
  return (
    <html lang={locale}>
      <head>
        <meta charset="utf-8" />
        {head.opensTabs && <base target="_blank" />}
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{head.title}</title>
        {head.refreshSeconds !== undefined && (
          <noscript>
            <meta http-equiv="refresh" content={String(head.refreshSeconds)} />
          </noscript>
        )}
        <meta name="description" content={head.description} />
        <meta name="theme-color" content="#ffffff" media="(prefers-color-scheme: light)" />
        <meta name="theme-color" content="#111317" media="(prefers-color-scheme: dark)" />
        <link rel="icon" href="/icon.svg" type="image/svg+xml" />
        {head.hidden ? <meta name="robots" content="noindex" /> : <Addresses frame={frame} />}
        <meta property="og:title" content={head.title} />
        <meta property="og:description" content={head.description} />
        <meta property="og:type" content={head.type ?? 'website'} />
        <meta property="og:url" content={absolute(frame, `/${locale}${path}`)} />
        <meta property="og:locale" content={openGraphLocales[locale]} />
        <meta property="og:site_name" content="Tessera" />
        {head.image && <PreviewPicture src={absolute(frame, head.image.src)} width={head.image.width} height={head.image.height} />}
        <style dangerouslySetInnerHTML={{ __html: styles }} />
        {script?.imports.map((address) => (
          <link rel="modulepreload" href={address} />
        ))}
        {head.component && <script src={head.component} defer />}
        {script && <script type="module" src={script.src} />}
        {head.jsonLd && <script type="application/ld+json" dangerouslySetInnerHTML={{ __html: safeJson(head.jsonLd) }} />}
      </head>
      <body>{children}</body>
    </html>
  );
}

/** The address of the page for search engines, and its addresses in the other languages. */
const Addresses = ({ frame }: { frame: Frame }) => (
  <>
    <link rel="canonical" href={absolute(frame, `/${frame.locale}${frame.path}`)} />
    {locales.map((locale) => (
      <link rel="alternate" hreflang={locale} href={absolute(frame, `/${locale}${frame.path}`)} />
    ))}
    <link rel="alternate" hreflang="x-default" href={absolute(frame, `/en${frame.path}`)} />
  </>
);

const PreviewPicture = ({ src, width, height }: { src: string; width: number; height: number }) => (
  <>
    <meta property="og:image" content={src} />
    <meta property="og:image:width" content={String(width)} />
    <meta property="og:image:height" content={String(height)} />
    <meta name="twitter:card" content="summary_large_image" />
  </>
);
