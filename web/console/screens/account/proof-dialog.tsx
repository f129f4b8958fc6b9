import type { ComponentChildren } from 'preact';
import type { AccountMessages } from '../../../messages/console/account.en.ts';
import { useMessages } from '../../app/console.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/fields.tsx';
import { Form } from '../../parts/form.tsx';

interface ProofDialogProps {
  title: string;
  text?: string;
  action: string;
  danger?: boolean;
  /** Other fields of the form, with their first values. */
  initial?: Record<string, string>;
  onProof: (password: string, values: Record<string, string>) => Promise<unknown>;
  onClose: () => void;
  children?: ComponentChildren;
}

/** Asks for the password before a change of the second factors. */
export function ProofDialog({ title, text, action, danger = false, initial = {}, onProof, onClose, children }: ProofDialogProps) {
  const t = useMessages<AccountMessages>();
  return (
    <Dialog title={title} onClose={onClose}>
      {text && <p>{text}</p>}
      <Form
        initial={{ ...initial, password: '' }}
        submit={({ values }) => onProof(values.password ?? '', values)}
        action={action}
        danger={danger}
      >
        {children}
        <TextField
          name="password"
          label={t.factors.proof}
          hint={t.factors.proofHint}
          type="password"
          autocomplete="current-password"
          maxLength={200}
          required
        />
      </Form>
    </Dialog>
  );
}
