import { createHash } from 'node:crypto';

/** The same bytes have the same tag, in every process. */
export const etagOf = (body: string): string => `"${createHash('sha1').update(body).digest('base64url')}"`;

/** Whether a list of tags, as in `If-None-Match` and `If-Match`, names this one. Weak and strong compare alike. */
export function matches(header: string, etag: string): boolean {
  if (header.trim() === '*') return true;
  return header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}
