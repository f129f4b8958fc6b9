/** Hand-held scanners type a code like a keyboard and press Enter. A person types slower than this. */
const maxPauseMs = 500;
const minLength = 6;
const textFields = 'input:not([type=radio], [type=checkbox]), select, textarea';

/** Calls `onCode` for each code of a hand-held scanner. Keys in a text field belong to the field. */
export function listenToKeyboardScanner(onCode: (text: string) => void): () => void {
  let text = '';
  let lastKeyAt = 0;
  const onKey = (event: KeyboardEvent) => {
    const target = event.target as HTMLElement | null;
    if (target?.matches(textFields) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.timeStamp - lastKeyAt > maxPauseMs) text = '';
    lastKeyAt = event.timeStamp;
    if (event.key.length === 1) {
      text += event.key;
      return;
    }
    if (event.key !== 'Enter' && event.key !== 'Tab') return;
    // Otherwise Enter would press the button that has the focus.
    if (text.length >= minLength) {
      event.preventDefault();
      onCode(text);
    }
    text = '';
  };
  addEventListener('keydown', onKey, true);
  return () => removeEventListener('keydown', onKey, true);
}
