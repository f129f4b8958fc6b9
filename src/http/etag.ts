import { createHash } from 'node:crypto';

/** The tag depends only on the body and its variant, so all processes return the same tag. */
export const etagOf = (body: string | Buffer, variant = ''): string =>
  `"${createHash('sha1').update(variant).update(body).digest('base64url')}"`;

/** Whether the header `If-None-Match` or `If-Match` contains the tag. Weak and strong tags are treated alike. */
export function matches(header: string, etag: string): boolean {
  if (header.trim() === '*') return true;
  return header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}
