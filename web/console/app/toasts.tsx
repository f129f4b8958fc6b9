import type { ComponentChildren } from 'preact';
import { createContext } from 'preact';
import { useCallback, useContext, useRef, useState } from 'preact/hooks';
import { Icon } from '../../ui/icon.tsx';
import * as icons from '../../ui/icons.ts';
import { useConsole } from './console.ts';

interface ToastOptions {
  /** An action such as "Undo". */
  action?: { label: string; run: () => unknown };
  tone?: 'ok' | 'bad';
}

type ShowToast = (text: string, options?: ToastOptions) => void;

interface Toast extends ToastOptions {
  id: number;
  text: string;
}

const Toasts = createContext<ShowToast>(() => {});

/** Says that something has happened: `toast(t.saved)`, or `toast(t.removed, { action: { label: t.undo, run } })`. */
export const useToast = (): ShowToast => useContext(Toasts);

const shortMs = 5_000;
const withActionMs = 12_000;

export function ToastProvider({ children }: { children: ComponentChildren }) {
  const [toasts, setToasts] = useState<Toast[]>([]);
  const next = useRef(0);
  const { t } = useConsole();
  const remove = (id: number) => setToasts((shown) => shown.filter((toast) => toast.id !== id));
  const show = useCallback<ShowToast>((text, options = {}) => {
    const id = next.current++;
    setToasts((shown) => [...shown.slice(-2), { id, text, ...options }]);
    setTimeout(() => remove(id), options.action ? withActionMs : shortMs);
  }, []);
  const act = (toast: Toast) => {
    remove(toast.id);
    void toast.action?.run();
  };
  return (
    <Toasts.Provider value={show}>
      {children}
      <div class="toasts" role="status" aria-live="polite">
        {toasts.map((toast) => (
          <div key={toast.id} class={`toast ${toast.tone ?? 'ok'}`}>
            <Icon path={toast.tone === 'bad' ? icons.alert : icons.check} />
            <p>{toast.text}</p>
            {toast.action && (
              <button type="button" class="text-button" onClick={() => act(toast)}>
                {toast.action.label}
              </button>
            )}
            <button type="button" class="icon-button" aria-label={t.close} onClick={() => remove(toast.id)}>
              <Icon path={icons.close} />
            </button>
          </div>
        ))}
      </div>
    </Toasts.Provider>
  );
}
