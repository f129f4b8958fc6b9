import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Icon } from '../../ui/icon.tsx';
import * as icons from '../../ui/icons.ts';
import { usePlace } from '../app/place.ts';

interface PageHeadProps {
  title: string;
  /** A pill or a short line below the title. */
  about?: ComponentChildren;
  /** The list that this screen belongs to. */
  back?: { href: string; label: string };
  /** Buttons. The first one is the main action of the screen. */
  children?: ComponentChildren;
}

/** The screen at which the focus was set last. The first screen after the page was loaded leaves the focus at the start. */
let focusedVisit = 0;

/** The head of every screen. It sets the title of the page, and the focus after a navigation, so that screen readers read the new screen. */
export function PageHead({ title, about, back, children }: PageHeadProps) {
  const { visit } = usePlace();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Tessera`;
  }, [title]);
  useEffect(() => {
    // A filter changes the address but keeps the screen, and the reader is still typing into it.
    if (visit === focusedVisit) return;
    focusedVisit = visit;
    heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <header class="page-head">
      {back && (
        <a class="back" href={back.href}>
          <Icon path={icons.back} size={18} />
          {back.label}
        </a>
      )}
      <div class="page-head-line">
        <div>
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {about && <div class="page-about">{about}</div>}
        </div>
        {children && <div class="page-actions">{children}</div>}
      </div>
    </header>
  );
}
