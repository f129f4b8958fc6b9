import type { ComponentChildren } from 'preact';
import { Logo } from '../../../ui/logo.tsx';
import { PageHead } from '../../parts/page-head.tsx';

/** The box in the middle of the page, for all screens without the frame. */
export const Card = ({ title, text, children }: { title: string; text?: string; children: ComponentChildren }) => (
  <div class="card-alone">
    <Logo size={48} />
    <PageHead title={title} {...(text && { about: text })} />
    {children}
  </div>
);

/** The token of a mail's link. It is read once and then removed from the address, so that it does not stay in the history. */
export function takeToken(): string {
  const token = new URLSearchParams(location.hash.slice(1)).get('token') ?? '';
  if (location.hash !== '') history.replaceState(history.state, '', location.pathname);
  return token;
}
