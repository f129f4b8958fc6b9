/** In the order in which they are looked for: Edge and Opera also name Chrome, and Chrome also names Safari. */
const browsers: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['Edge', /\bEdg(e|A|iOS)?\//],
  ['Opera', /\b(OPR|Opera)\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(Firefox|FxiOS)\//],
  ['Chrome', /\b(Chrome|CriOS|Chromium)\//],
  ['Safari', /\bSafari\//],
];

/** Android also names Linux, and iPhones also name Mac OS X. */
const systems: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['Android', /\bAndroid\b/],
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Windows', /\bWindows\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['macOS', /\bMac OS X\b/],
  ['Linux', /\bLinux\b/],
];

const nameIn = (userAgent: string, names: typeof browsers): string | undefined => names.find(([, pattern]) => pattern.test(userAgent))?.[0];

/**
 * Returns a short text such as "Firefox on Linux", from which users recognize their sessions. Programs without a browser get the name of their
 * product, such as "curl". Only this text is stored, because the whole header identifies a person more precisely than needed.
 */
export function describeDevice(userAgent: string | null): string | null {
  if (userAgent === null) return null;
  const text = userAgent.slice(0, 500);
  const [browser, system] = [nameIn(text, browsers), nameIn(text, systems)];
  if (browser && system) return `${browser} on ${system}`;
  return browser ?? system ?? /^[\w.-]{1,50}/.exec(text)?.[0] ?? null;
}
