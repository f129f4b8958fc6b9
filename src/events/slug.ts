/** A link can have 100 characters. This leaves room for a number at its end. */
const maxLength = 80;

/** "Noite de São João!" → "noite-de-sao-joao". Never empty, and never only digits, because digits are ids. */
export function slugOf(title: string): string {
  const words = title
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, maxLength)
    .replaceAll(/^-+|-+$/g, '');
  return /[a-z]/.test(words) ? words : `event-${words}`.replace(/-$/, '');
}

/** Returns `slug`, or `slug-2`, `slug-3` … if another event has the slug. */
export function freeSlug(slug: string, taken: ReadonlySet<string>): string {
  if (!taken.has(slug)) return slug;
  for (let n = 2; ; n++) if (!taken.has(`${slug}-${n}`)) return `${slug}-${n}`;
}
