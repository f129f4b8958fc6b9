const key = 'buyer';

/** What the buyer has typed survives a reload, an expired hold and a crash, in this tab only. It is deleted when the order is done. */
export function keepDraft(isHeld: boolean): void {
  const form = document.querySelector<HTMLFormElement>('form[data-draft]');
  try {
    if (!isHeld && document.querySelector('.paid')) sessionStorage.removeItem(key);
    if (!form) return;
    fillIn(form, JSON.parse(sessionStorage.getItem(key) ?? '{}') as Record<string, string>);
    form.addEventListener('input', () => sessionStorage.setItem(key, JSON.stringify(valuesOf(form))));
  } catch {
    // Without storage the buyer types again.
  }
}

const fieldsOf = (form: HTMLFormElement): HTMLInputElement[] => [...form.querySelectorAll<HTMLInputElement>('input:not([type=hidden])')];

const valuesOf = (form: HTMLFormElement): Record<string, string> =>
  Object.fromEntries(fieldsOf(form).map(({ name, value }) => [name, value]));

function fillIn(form: HTMLFormElement, values: Record<string, string>): void {
  for (const field of fieldsOf(form)) if (field.value === '') field.value = values[field.name] ?? '';
}
