import type { PageResponse } from '../http/page-routes.ts';

export const redirect = (status: 301 | 302 | 303, location: string, headers: Record<string, string> = {}): PageResponse => ({
  status,
  headers: { location, ...headers },
  body: '',
});

/** After a form or a secret link: the browser loads a page for one reader. */
export const seeOther = (location: string, headers: Record<string, string> = {}): PageResponse =>
  redirect(303, location, { 'cache-control': 'no-store', ...headers });
