import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface MenuProps {
  /** What opens the menu. */
  summary: ComponentChildren;
  /** The name for screen readers, if `summary` has no text. */
  label?: string;
  class?: string;
  children: ComponentChildren;
}

/** A box below a button. It closes with Escape, with a click elsewhere, and when a link in it is followed. */
export function Menu({ summary, label, class: name = '', children }: MenuProps) {
  const element = useRef<HTMLDetailsElement>(null);
  const close = () => element.current?.removeAttribute('open');
  useEffect(() => {
    const closeOutside = (event: Event) => {
      if (!element.current?.contains(event.target as Node)) close();
    };
    document.addEventListener('pointerdown', closeOutside);
    return () => document.removeEventListener('pointerdown', closeOutside);
  }, []);
  const closeOnEscape = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    close();
    element.current?.querySelector('summary')?.focus();
  };
  return (
    <details ref={element} class={`menu ${name}`} onKeyDown={closeOnEscape}>
      <summary {...(label && { 'aria-label': label })}>{summary}</summary>
      <div class="menu-box" onClick={(event) => (event.target as Element).closest('a, button') && close()}>
        {children}
      </div>
    </details>
  );
}
