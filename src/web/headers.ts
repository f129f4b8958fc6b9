/** What a page may load besides the files of this site. */
interface Extras {
  scripts: readonly string[];
  connections: readonly string[];
  frames: readonly string[];
}

interface PolicyOptions {
  extras?: Extras | null;
  /** The sites that may show the page in a frame. */
  ancestors?: "'none'" | "'self'" | '*';
}

/**
 * The policy of shop pages: scripts only from this site and only as files, styles only by their hash. Pictures may come from any secure
 * server, because a poster may be an address on another server. `require-trusted-types-for` keeps scripts from creating markup from text.
 * It is left out on a page with scripts of others, because they load further scripts.
 */
function policy(styleHash: string, { extras = null, ancestors = "'none'" }: PolicyOptions = {}): string {
  const { scripts = [], connections = [], frames = [] } = extras ?? {};
  return [
    "default-src 'none'",
    ["script-src 'self'", ...scripts].join(' '),
    `style-src 'sha256-${styleHash}'`,
    "img-src 'self' https: data:",
    ["connect-src 'self'", ...connections].join(' '),
    ...(frames.length > 0 ? [`frame-src ${frames.join(' ')}`] : []),
    "form-action 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    `frame-ancestors ${ancestors}`,
    ...(extras ? [] : ["require-trusted-types-for 'script'", "trusted-types 'none'"]),
  ].join(';');
}

/** The addresses that Stripe lists in its security guide for Stripe.js. Maps are for its address fields, which our page does not use. */
const stripe: Extras = {
  scripts: ['https://js.stripe.com', 'https://*.js.stripe.com'],
  connections: ['https://api.stripe.com'],
  frames: ['https://js.stripe.com', 'https://*.js.stripe.com', 'https://hooks.stripe.com'],
};

const sharedHeaders = (styleHash: string): Record<string, string> => ({
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': policy(styleHash),
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
  // Other sites learn neither the page nor an access code in its address.
  'referrer-policy': 'same-origin',
});

/** Headers of a page that is the same for everybody. A shared cache may keep it as long as it keeps the public responses of the API. */
export const publicPage = (styleHash: string): Record<string, string> => ({
  ...sharedHeaders(styleHash),
  'cache-control': 'public, max-age=0, s-maxage=1, stale-while-revalidate=5',
});

/** Headers of the home page. The console shows it in a frame, as the preview of its editor. It has no buttons that change anything. */
export const previewedPage = (styleHash: string): Record<string, string> => ({
  ...publicPage(styleHash),
  'content-security-policy': policy(styleHash, { ancestors: "'self'" }),
});

/** Headers of the widget. Any site may show it in a frame. It reads no cookies, and a click in it can only choose tickets. */
export const embeddedPage = (styleHash: string): Record<string, string> => ({
  ...publicPage(styleHash),
  'content-security-policy': policy(styleHash, { ancestors: '*' }),
});

/** Headers of a page for one reader, and of pages that could not be shown. */
export const privatePage = (styleHash: string): Record<string, string> => ({
  ...sharedHeaders(styleHash),
  'cache-control': 'no-store',
});

/** Headers of a page with the web component of a payment provider. The browser may offer it its stored cards. */
export const paymentPage = (styleHash: string): Record<string, string> => ({
  ...privatePage(styleHash),
  'content-security-policy': policy(styleHash, { extras: stripe }),
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(self "https://js.stripe.com")',
});

/**
 * Headers of the door app. Its scripts and styles are files. It compiles the wasm of the decoder, uses the camera and starts workers: the
 * Trusted Types policy `door` allows only the addresses of these workers.
 */
export const doorPage: Record<string, string> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self' 'wasm-unsafe-eval'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types door',
  ].join(';'),
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(self), screen-wake-lock=(self), geolocation=(), microphone=(), payment=()',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
};

/** Headers of the service worker of the door app. A worker has the policy of its own file, not that of the page. */
export const doorWorker: Record<string, string> = {
  'content-type': 'text/javascript; charset=utf-8',
  'content-security-policy': "default-src 'none';script-src 'self';connect-src 'self'",
  'cache-control': 'no-cache',
};

/**
 * Headers of the console. Its scripts and styles are files, and it creates no markup from text. Pictures may come from any secure server,
 * because posters and logos may be addresses on other servers. It shows the widget of an event in a frame.
 */
export const consolePage: Record<string, string> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' https: data: blob:",
    "connect-src 'self'",
    "frame-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join(';'),
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy':
    'publickey-credentials-create=(self), publickey-credentials-get=(self), camera=(), geolocation=(), microphone=(), payment=()',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
};
