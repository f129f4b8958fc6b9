import { useId, useRef, useState } from 'preact/hooks';
import type { Progress as Sent } from '../../../client/src/index.ts';
import { Notice } from '../../ui/notice.tsx';
import { useConsole } from '../app/console.ts';
import { useToast } from '../app/toasts.tsx';
import { Progress } from './progress.tsx';
import { errorText } from './show.tsx';

interface PictureUploadProps {
  /** The address of the picture that is stored now. */
  src: string | null;
  alt: string;
  hint: string;
  upload: (file: File, onProgress: (sent: Sent) => void) => Promise<unknown>;
  /** Missing if the picture cannot be removed. */
  remove?: () => Promise<unknown>;
}

/** Shows a picture, and uploads another one in its place. */
export function PictureUpload({ src, alt, hint, upload, remove }: PictureUploadProps) {
  const { t } = useConsole();
  const toast = useToast();
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [sent, setSent] = useState<Sent | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const attempt = async (work: () => Promise<unknown>) => {
    setFailure(null);
    try {
      await work();
      toast(t.picture.saved);
    } catch (error) {
      setFailure(errorText(t, error));
    }
    setSent(null);
    if (input.current) input.current.value = '';
  };
  const choose = (file: File | undefined) => {
    if (!file) return;
    setSent({ sent: 0, total: file.size });
    void attempt(() => upload(file, setSent));
  };
  return (
    <div class="picture-upload">
      {src && <img src={src} alt={alt} />}
      <div class="stack">
        <p class="field-hint">{hint}</p>
        <div class="actions">
          <span class="file-button">
            <input
              ref={input}
              id={id}
              type="file"
              accept="image/jpeg,image/png,image/webp,image/avif"
              disabled={sent !== null}
              onChange={(event) => choose(event.currentTarget.files?.[0])}
            />
            <label for={id} class="button secondary">
              {src ? t.picture.replace : t.picture.choose}
            </label>
          </span>
          {src && remove && (
            <button type="button" class="button plain" onClick={() => void attempt(remove)}>
              {t.picture.remove}
            </button>
          )}
        </div>
        {sent && <Progress label={t.picture.sending} value={sent.sent} of={sent.total} />}
        {failure && (
          <Notice tone="bad" alert>
            <p>{failure}</p>
          </Notice>
        )}
      </div>
    </div>
  );
}
