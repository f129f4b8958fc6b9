import type { AccountMessages } from '../../../messages/console/account.en.ts';
import { useMessages } from '../../app/console.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Dialog } from '../../parts/dialog.tsx';

/** Shown once. The service stores only their hashes. */
export function RecoveryCodes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const t = useMessages<AccountMessages>();
  return (
    <Dialog title={t.recovery.title} onClose={onClose}>
      <p>{t.recovery.text}</p>
      <ul class="codes">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div class="actions">
        <button type="button" class="button" onClick={onClose}>
          {t.recovery.stored}
        </button>
        <CopyButton text={codes.join('\n')} label={t.recovery.copy} />
      </div>
    </Dialog>
  );
}
