import { useId, useRef, useState } from 'preact/hooks';
import type { SettingsMessages } from '../../../messages/console/settings.en.ts';
import { Icon } from '../../../ui/icon.tsx';
import * as icons from '../../../ui/icons.ts';
import { Notice } from '../../../ui/notice.tsx';
import { useConsole, useMessages } from '../../app/console.ts';
import { useToast } from '../../app/toasts.tsx';
import { useEvent } from '../../app/use-event.ts';
import { useConfirm } from '../../parts/confirm.tsx';
import { Progress } from '../../parts/progress.tsx';
import { errorText } from '../../parts/show.tsx';

const maxBytes = 10_485_760;

/** The picture of the event. A file can be chosen or dropped. */
export function Poster() {
  const { client, t: frame } = useConsole();
  const t = useMessages<SettingsMessages>();
  const { event, reload } = useEvent();
  const toast = useToast();
  const confirm = useConfirm();
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [progress, setProgress] = useState<{ sent: number; total: number } | null>(null);
  const [error, setError] = useState<string | null>(null);

  async function upload(file: File | undefined): Promise<void> {
    if (!file || progress) return;
    if (file.size > maxBytes) return setError(t.page.posterTooLarge);
    setError(null);
    setProgress({ sent: 0, total: file.size });
    try {
      await client.events.uploadPoster({ id: event.id, file }, { onProgress: setProgress });
      await reload();
      toast(t.page.posterSaved);
    } catch (failure) {
      setError(errorText(frame, failure));
    } finally {
      setProgress(null);
      if (input.current) input.current.value = '';
    }
  }
  async function remove(): Promise<void> {
    if (!(await confirm({ title: t.page.removePoster, text: t.page.removePosterText, action: t.page.removePoster, danger: true }))) return;
    await client.events.deletePoster({ id: event.id }).catch((failure: unknown) => setError(errorText(frame, failure)));
    await reload();
  }
  return (
    <section
      class="panel settings-poster"
      aria-labelledby={`${id}-title`}
      onDragOver={(dragged) => dragged.preventDefault()}
      onDrop={(dropped) => {
        dropped.preventDefault();
        void upload(dropped.dataTransfer?.files[0]);
      }}
    >
      {event.poster ? (
        <img src={event.poster} alt={t.page.posterAlt} />
      ) : (
        <span class="settings-no-poster">
          <Icon path={icons.share} size={28} />
        </span>
      )}
      <div class="stack">
        <h2 id={`${id}-title`}>{t.page.poster}</h2>
        <p class="small soft" id={`${id}-hint`}>
          {t.page.posterHint}
        </p>
        {progress && (
          <Progress
            label={progress.sent < progress.total ? t.page.uploading : t.page.preparing}
            value={progress.sent}
            of={progress.total}
          />
        )}
        {error && (
          <Notice tone="bad" alert>
            <p>{error}</p>
          </Notice>
        )}
        <div class="actions">
          <input
            ref={input}
            id={id}
            class="settings-file"
            type="file"
            accept="image/jpeg,image/png,image/webp,image/avif"
            aria-describedby={`${id}-hint`}
            disabled={progress !== null}
            onChange={(event_) => void upload(event_.currentTarget.files?.[0])}
          />
          <label class="button secondary" for={id}>
            {event.poster ? t.page.replacePoster : t.page.choosePoster}
          </label>
          {event.poster && (
            <button type="button" class="text-button" onClick={() => void remove()}>
              {t.page.removePoster}
            </button>
          )}
        </div>
      </div>
    </section>
  );
}
