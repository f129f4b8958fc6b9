/** Buttons that copy the value of a field. If the browser does not allow it, the text is selected, so that the buyer can copy it. */
export function startCopy(copied: string): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('[data-copy]')) {
    const label = button.querySelector('[data-label]');
    const field = document.getElementById(button.dataset.copy ?? '') as HTMLInputElement | null;
    if (!label || !field) continue;
    const show = () => {
      label.textContent = copied;
    };
    button.addEventListener('click', () => {
      field.select();
      navigator.clipboard?.writeText(field.value).then(show, () => {});
    });
  }
}
