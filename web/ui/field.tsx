import type { ComponentChildren } from 'preact';

interface FieldProps {
  id: string;
  label: string;
  error?: string | null;
  hint?: string;
  children: (attributes: { id: string; 'aria-invalid'?: true; 'aria-describedby'?: string }) => ComponentChildren;
}

/** A label, a control, and the hint or error that belongs to the control. */
export function Field({ id, label, error, hint, children }: FieldProps) {
  const about = error ?? hint;
  const attributes = { id, ...(error && { 'aria-invalid': true as const }), ...(about && { 'aria-describedby': `${id}-about` }) };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(attributes)}
      {about && (
        <p id={`${id}-about`} class={error ? 'field-error' : 'field-hint'} {...(error && { role: 'alert' })}>
          {about}
        </p>
      )}
    </div>
  );
}

interface TextFieldProps extends Omit<FieldProps, 'children'> {
  name: string;
  value: string;
  type?: 'text' | 'search' | 'date' | 'email' | 'tel' | 'password';
  maxLength?: number;
  required?: boolean;
  autocomplete?: string;
  autocapitalize?: 'none' | 'characters' | 'words';
  spellcheck?: boolean;
}

export const TextField = ({ id, label, error = null, hint, type = 'text', ...input }: TextFieldProps) => (
  <Field id={id} label={label} error={error} {...(hint && { hint })}>
    {/* Preact has types for each kind of input, but none for a choice of kinds. */}
    {(attributes) => <input {...({ class: 'input', type, ...input, ...attributes } as object)} />}
  </Field>
);
