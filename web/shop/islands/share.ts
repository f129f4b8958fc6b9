/** Makes the share button work: the menu of the device, or else the clipboard. Without JavaScript the button is not shown. */
export function startShare(): void {
  const button = document.querySelector<HTMLButtonElement>('[data-share]');
  button?.addEventListener('click', () => void share(button));
}

async function share(button: HTMLButtonElement): Promise<void> {
  // The address in the head has no access code and no other query that belongs to this reader.
  const url = document.querySelector<HTMLLinkElement>('link[rel=canonical]')?.href ?? location.origin + location.pathname;
  // Some browsers have no share menu, whatever the types say.
  if (typeof navigator.share === 'function') {
    await navigator.share({ title: document.title, url }).catch(() => undefined);
    return;
  }
  await navigator.clipboard.writeText(url);
  const label = button.querySelector('[data-label]');
  if (label) label.textContent = button.dataset.copied ?? '';
}
