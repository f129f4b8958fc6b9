import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useConsole } from '../../app/console.ts';
import { errorText } from '../../parts/show.tsx';

interface InlineEditProps {
  /** What is edited, for screen readers: "Price of 1st lot". */
  label: string;
  /** What is shown until somebody edits it. */
  children: ComponentChildren;
  /** The same in words, for screen readers. */
  words: string;
  /** The text in the field. */
  value: string;
  inputMode: 'decimal' | 'numeric';
  /** Returns what is wrong with the text, or null. */
  check: (text: string) => string | null;
  save: (text: string) => Promise<void>;
  /** Shown below the field while somebody types. */
  note?: (text: string) => ComponentChildren;
}

/** A value that becomes a field when it is clicked. Enter saves, Escape leaves it as it was. */
export function InlineEdit({ label, children, words, value, inputMode, check, save, note }: InlineEditProps) {
  const { t } = useConsole();
  const [text, setText] = useState<string | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const returnsFocus = useRef(false);
  const id = useId();
  const isOpen = text !== null;
  useLayoutEffect(() => {
    if (isOpen) input.current?.select();
    else if (returnsFocus.current) button.current?.focus();
    returnsFocus.current = false;
  }, [isOpen]);

  const close = (withFocus: boolean) => {
    returnsFocus.current = withFocus;
    setError(null);
    setText(null);
  };
  async function submit(withFocus: boolean): Promise<void> {
    if (text === null || isBusy) return;
    if (text.trim() === value) return close(withFocus);
    const wrong = check(text.trim());
    setError(wrong);
    if (wrong !== null) return input.current?.focus();
    setBusy(true);
    try {
      await save(text.trim());
      close(withFocus);
    } catch (failure) {
      setError(errorText(t, failure));
    } finally {
      setBusy(false);
    }
  }
  const pressed = (event: KeyboardEvent) => {
    if (event.key === 'Enter') void submit(true);
    else if (event.key === 'Escape') close(true);
    else return;
    event.preventDefault();
  };

  if (!isOpen)
    return (
      <button ref={button} type="button" class="tickets-value" aria-label={`${label}: ${words}`} onClick={() => setText(value)}>
        {children}
      </button>
    );
  const about = error ?? note?.(text);
  return (
    <span class="tickets-edit">
      <input
        ref={input}
        class="input"
        inputMode={inputMode}
        autocomplete="off"
        aria-label={label}
        value={text}
        aria-busy={isBusy}
        {...(error && { 'aria-invalid': true })}
        {...(about && { 'aria-describedby': id })}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={pressed}
        onBlur={() => void submit(false)}
      />
      {about && (
        <span id={id} class={error ? 'field-error' : 'field-hint'} {...(error && { role: 'alert' })}>
          {about}
        </span>
      )}
    </span>
  );
}
