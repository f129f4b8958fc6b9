import { useState } from 'preact/hooks';
import type { AccountMessages } from '../../../messages/console/account.en.ts';
import { Notice } from '../../../ui/notice.tsx';
import { useClient, useMessages } from '../../app/console.ts';
import { createPasskey } from '../../app/passkeys.ts';
import { TextField } from '../../parts/fields.tsx';
import { ProofDialog } from './proof-dialog.tsx';

interface AddPasskeyProps {
  onClose: () => void;
  onAdded: (recoveryCodes: string[] | null) => void;
}

/** The browser creates the passkey, on this device or on a security key. */
export function AddPasskey({ onClose, onAdded }: AddPasskeyProps) {
  const client = useClient();
  const t = useMessages<AccountMessages>();
  const [isRefused, setRefused] = useState(false);
  const add = async (password: string, { name = '' }: Record<string, string>) => {
    const { registrationToken, options } = await client.factors.startPasskey({ password });
    const credential = await createPasskey(options).catch(() => null);
    setRefused(credential === null);
    if (credential) onAdded((await client.factors.createPasskey({ registrationToken, name, credential })).recoveryCodes);
  };
  return (
    <ProofDialog
      title={t.factors.addPasskey}
      action={t.factors.continue}
      initial={{ name: t.factors.passkeyName }}
      onProof={add}
      onClose={onClose}
    >
      {isRefused && (
        <Notice tone="bad" alert>
          {t.factors.passkeyFailed}
        </Notice>
      )}
      <TextField name="name" label={t.factors.name} maxLength={100} required />
    </ProofDialog>
  );
}
