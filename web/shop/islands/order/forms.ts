import { formatCpf, isCpf } from '../../../../src/kernel/cpf.ts';

/** Forms can be sent once, and the form of the buyer is checked before it is sent. */
export function startForms(sending: string): void {
  for (const form of document.querySelectorAll<HTMLFormElement>('form[data-busy], form[data-checked]')) {
    const isChecked = 'checked' in form.dataset;
    form.noValidate = isChecked;
    form.addEventListener('submit', (event) => {
      if (form.ariaBusy === 'true' || (isChecked && !check(form))) event.preventDefault();
      else setBusy(form, sending);
    });
  }
  // The back button may show the page as it was when it was left. Then the forms must work again.
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) location.reload();
  });
  for (const field of document.querySelectorAll<HTMLInputElement>('[data-cpf]')) {
    field.addEventListener('input', () => {
      // Formatting while the buyer edits in the middle of the number would move the cursor.
      if (field.selectionStart === field.value.length) field.value = formatCpf(field.value);
    });
  }
}

function setBusy(form: HTMLFormElement, text: string): void {
  form.ariaBusy = 'true';
  for (const button of form.querySelectorAll<HTMLButtonElement>('button[type=submit]')) {
    button.ariaBusy = 'true';
    button.textContent = text;
  }
}

/** Shows an error at each field that is not valid, and puts the focus into the first one. */
function check(form: HTMLFormElement): boolean {
  const fields = [...form.querySelectorAll<HTMLInputElement>('input[data-missing]')];
  for (const field of fields) {
    field.value = field.value.trim();
    showError(field, errorOf(field));
    field.addEventListener('input', () => showError(field, null), { once: true });
  }
  const first = fields.find((field) => field.hasAttribute('aria-invalid'));
  first?.focus();
  return first === undefined;
}

function errorOf(field: HTMLInputElement): string | null {
  const { missing = '', invalid = '', cpf } = field.dataset;
  if (field.validity.valueMissing) return missing;
  const isWrongCpf = cpf !== undefined && field.value !== '' && !isCpf(field.value);
  return field.validity.valid && !isWrongCpf ? null : invalid;
}

/** The error takes the place of the hint. The server renders the same markup, see `Field`. */
function showError(field: HTMLInputElement, error: string | null): void {
  const id = `${field.id}-about`;
  const about = document.getElementById(id) ?? document.createElement('p');
  about.dataset.hint ??= about.classList.contains('field-error') ? '' : (about.textContent ?? '');
  about.id = id;
  about.textContent = error ?? about.dataset.hint;
  about.className = error === null ? 'field-hint' : 'field-error';
  if (error !== null && !about.isConnected) field.after(about);
  if (error === null) field.removeAttribute('aria-invalid');
  else field.setAttribute('aria-invalid', 'true');
  if (about.isConnected) field.setAttribute('aria-describedby', id);
}
