/**
 * The policy of shop pages: scripts only from this site and only as files, styles only by their hash. Pictures may come from any secure
 * server, because a poster may be an address on another server. `require-trusted-types-for` keeps scripts from creating markup from text.
 */
const policy = (styleHash: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'sha256-${styleHash}'`,
    "img-src 'self' https: data:",
    "connect-src 'self'",
    "form-action 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join(';');

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

/** Headers of the widget. Any site may show it in a frame. It reads no cookies, and a click in it can only choose tickets. */
export const embeddedPage = (styleHash: string): Record<string, string> => ({
  ...publicPage(styleHash),
  'content-security-policy': policy(styleHash).replace("frame-ancestors 'none'", 'frame-ancestors *'),
});

/** Headers of a page for one reader, and of pages that could not be shown. */
export const privatePage = (styleHash: string): Record<string, string> => ({
  ...sharedHeaders(styleHash),
  'cache-control': 'no-store',
});
