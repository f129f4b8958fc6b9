import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { Icon } from '../../ui/icon.tsx';
import * as icons from '../../ui/icons.ts';
import { useConsole } from '../app/console.ts';

interface DialogProps {
  title: string;
  onClose: () => void;
  /** `wide` for tables and comparisons, `side` for a form beside the list that it belongs to. */
  shape?: 'wide' | 'side';
  children: ComponentChildren;
}

/** A native dialog. It is open as long as it is rendered: `{isOpen && <Dialog title={…} onClose={close}>…</Dialog>}`. */
export function Dialog({ title, onClose, shape, children }: DialogProps) {
  const { t } = useConsole();
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const opener = document.activeElement;
    element.current?.showModal();
    return () => {
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  const close = (event: Event) => {
    event.preventDefault();
    onClose();
  };
  return (
    <dialog
      ref={element}
      class={`dialog ${shape ?? ''}`}
      aria-labelledby={id}
      onCancel={close}
      onClick={(event) => event.target === element.current && onClose()}
    >
      <div class="dialog-box">
        <header class="dialog-head">
          <h2 id={id}>{title}</h2>
          <button type="button" class="icon-button" aria-label={t.close} onClick={onClose}>
            <Icon path={icons.close} />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}
