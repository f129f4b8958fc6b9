import type { ProducerMessages } from '../../../messages/console/producer.en.ts';
import { useMessages } from '../../app/console.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Dialog } from '../../parts/dialog.tsx';

/** Shows a new secret. The server never shows it again. */
export function WebhookSecret({ secret, text, onClose }: { secret: string; text: string; onClose: () => void }) {
  const { webhooks: t } = useMessages<ProducerMessages>();
  return (
    <Dialog title={t.secretTitle} onClose={onClose}>
      <div class="stack">
        <p>{text}</p>
        <p class="codes secret">{secret}</p>
        <div class="actions">
          <CopyButton text={secret} label={t.copySecret} />
          <button type="button" class="button plain" onClick={onClose}>
            {t.stored}
          </button>
        </div>
      </div>
    </Dialog>
  );
}
