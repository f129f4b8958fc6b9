/** A link may have 100 characters: this leaves room for a number behind it. */
const longest = 80;

/** "Noite de São João!" → "noite-de-sao-joao". Never empty and never all digits, as those are ids. */
export function slugOf(title: string): string {
  const words = title
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, longest)
    .replaceAll(/^-+|-+$/g, '');
  return /[a-z]/.test(words) ? words : `event-${words}`.replace(/-$/, '');
}

/** `slug`, or with the first number behind it that makes it free. */
export function freeSlug(slug: string, taken: ReadonlySet<string>): string {
  if (!taken.has(slug)) return slug;
  for (let n = 2; ; n++) if (!taken.has(`${slug}-${n}`)) return `${slug}-${n}`;
}
