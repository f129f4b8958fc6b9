import { useState } from 'preact/hooks';
import type { AnswerOf } from '../../../../client/src/index.ts';
import type { AccountMessages } from '../../../messages/console/account.en.ts';
import { useClient, useMessages } from '../../app/console.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/fields.tsx';
import { Form } from '../../parts/form.tsx';
import { ProofDialog } from './proof-dialog.tsx';

interface AddAppProps {
  onClose: () => void;
  onAdded: (recoveryCodes: string[] | null) => void;
}

/** First the password, then the QR code and the first digits of the app. */
export function AddApp({ onClose, onAdded }: AddAppProps) {
  const client = useClient();
  const t = useMessages<AccountMessages>();
  const [key, setKey] = useState<AnswerOf<'createTotpFactor'> | null>(null);
  if (!key) {
    const start = async (password: string, { name = '' }: Record<string, string>) =>
      setKey(await client.factors.createTotp({ password, name }));
    return (
      <ProofDialog
        title={t.factors.addApp}
        action={t.factors.continue}
        initial={{ name: t.factors.appName }}
        onProof={start}
        onClose={onClose}
      >
        <TextField name="name" label={t.factors.name} maxLength={100} required />
      </ProofDialog>
    );
  }
  const confirm = async (code: string) => onAdded((await client.factors.confirmTotp({ code })).recoveryCodes);
  return (
    <Dialog title={t.factors.addApp} onClose={onClose}>
      <p>{t.factors.scan}</p>
      <img class="qr" alt={t.factors.qr} src={`data:image/svg+xml,${encodeURIComponent(key.qrSvg)}`} />
      <p>
        {t.factors.key} <code>{key.secret}</code>
      </p>
      <div>
        <CopyButton text={key.secret} label={t.factors.copyKey} />
      </div>
      <Form initial={{ code: '' }} submit={({ values }) => confirm(values.code)} action={t.factors.confirm}>
        <TextField
          name="code"
          label={t.factors.code}
          inputMode="numeric"
          autocomplete="one-time-code"
          maxLength={6}
          pattern="[0-9]{6}"
          required
        />
      </Form>
    </Dialog>
  );
}
