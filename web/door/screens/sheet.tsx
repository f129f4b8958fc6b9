import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Icon } from '../../ui/icon.tsx';
import { useApp } from './context.ts';
import * as doorIcons from './icons.ts';

/** A panel over the screen. Escape and the button close it. */
export function Sheet({ title, close, children }: { title: string; close: () => void; children: ComponentChildren }) {
  const { t } = useApp();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="sheet" aria-label={title} onClose={close}>
      <header>
        <h2>{title}</h2>
        <button class="round" type="button" onClick={close}>
          <Icon path={doorIcons.cross} />
          <span class="visually-hidden">{t.menu.close}</span>
        </button>
      </header>
      {children}
    </dialog>
  );
}
