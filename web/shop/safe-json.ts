const escapes: Record<string, string> = { '<': '\\u003c', '>': '\\u003e', '&': '\\u0026', '\u2028': '\\u2028', '\u2029': '\\u2029' };

/** JSON that can stand in a script element: no text in it can close the element, open a comment or end a line. */
export const safeJson = (value: unknown): string => JSON.stringify(value).replaceAll(/[<>&\u2028\u2029]/g, (char) => escapes[char] ?? '');
