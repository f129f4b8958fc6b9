import { useState } from 'preact/hooks';
import { Icon } from '../../ui/icon.tsx';
import * as icons from '../../ui/icons.ts';
import { useConsole } from '../app/console.ts';

const shownMs = 2_000;

/** Copies a text. If the browser refuses, the text beside the button can still be selected. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const { t } = useConsole();
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), shownMs);
  };
  return (
    <button type="button" class="button secondary" onClick={() => void copy().catch(() => {})}>
      <Icon path={isCopied ? icons.check : icons.copy} size={18} />
      <span aria-live="polite">{isCopied ? t.copied : label}</span>
    </button>
  );
}
