/*
 * The script that other sites include. It puts an iframe with the tickets of an event after its own script element, and gives the iframe the
 * height of its content. It must stay a plain script without imports, because web/build.js builds it into one small file.
 */

/** The tallest widget. A page that sends more is broken. */
const maxHeight = 20_000;

function start(script: HTMLScriptElement): void {
  const { event = '', lang = document.documentElement.lang, session, title = 'Tickets' } = script.dataset;
  const { origin } = new URL(script.src);
  const address = new URL(`/embed/${encodeURIComponent(event)}`, origin);
  address.searchParams.set('lang', lang);
  if (session) address.searchParams.set('session', session);
  const frame = document.createElement('iframe');
  Object.assign(frame, { src: address.href, title, loading: 'lazy' });
  Object.assign(frame.style, { display: 'block', width: '100%', height: '480px', border: '0' });
  addEventListener('message', (message: MessageEvent<unknown>) => {
    // Any page may send messages to this one. Only the widget may set its height.
    if (message.origin !== origin || message.source !== frame.contentWindow) return;
    const { type, height } = Object(message.data) as { type?: unknown; height?: unknown };
    if (type !== 'tessera:height' || typeof height !== 'number' || !(height > 0)) return;
    frame.style.height = `${Math.min(maxHeight, Math.ceil(height))}px`;
  });
  script.after(frame);
}

if (document.currentScript instanceof HTMLScriptElement) start(document.currentScript);
