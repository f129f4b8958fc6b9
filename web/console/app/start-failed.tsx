import type { FrameMessages } from '../../messages/console/frame.en.ts';
import { Notice } from '../../ui/notice.tsx';

/** Shown if the service cannot be reached at the start. Nobody is signed out by that. */
export const StartFailed = ({ t }: { t: FrameMessages }) => (
  <main class="alone">
    <h1 class="visually-hidden">Tessera</h1>
    <Notice tone="bad" title={t.failed} alert>
      <p>{t.problems.network}</p>
      <button type="button" class="button secondary" onClick={() => location.reload()}>
        {t.tryAgain}
      </button>
    </Notice>
  </main>
);
