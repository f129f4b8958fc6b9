import type { ComponentChildren } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import { useConsole } from '../app/console.ts';
import { errorText } from './show.tsx';

interface PictureBoxProps {
  /** The address of the picture. Null if there is none. */
  src: string | null;
  /** What the picture is, for screen readers. */
  alt: string;
  labels: { upload: string; replace: string; remove: string; hint: string; tooLarge: string };
  onUpload: (file: File) => Promise<unknown>;
  onRemove: () => Promise<unknown>;
  /** `square` for logos. */
  shape?: 'square';
  /** Shown while there is no picture. */
  empty?: ComponentChildren;
}

const maxBytes = 10_485_760;

/** A picture with buttons to upload, replace and remove it. A file can also be dropped on it. */
export function PictureBox({ src, alt, labels, onUpload, onRemove, shape, empty }: PictureBoxProps) {
  const { t } = useConsole();
  const input = useRef<HTMLInputElement>(null);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const id = useId();
  const attempt = async (work: () => Promise<unknown>) => {
    setBusy(true);
    setError(null);
    try {
      await work();
    } catch (failure) {
      setError(errorText(t, failure));
    } finally {
      setBusy(false);
    }
  };
  const send = (file: File | undefined) => {
    if (!file) return;
    if (file.size > maxBytes) setError(labels.tooLarge);
    else void attempt(() => onUpload(file));
  };
  return (
    <div class={`picture-box ${shape ?? ''}`} aria-busy={isBusy}>
      <div
        class="picture-frame"
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault();
          send(event.dataTransfer?.files[0]);
        }}
      >
        {src === null ? (empty ?? <span class="soft small">{labels.hint}</span>) : <img src={src} alt={alt} />}
      </div>
      <div class="stack-small">
        <div class="actions">
          <button type="button" class="button plain" disabled={isBusy} onClick={() => input.current?.click()}>
            {src === null ? labels.upload : labels.replace}
          </button>
          {src !== null && (
            <button type="button" class="text-button" disabled={isBusy} onClick={() => void attempt(onRemove)}>
              {labels.remove}
            </button>
          )}
        </div>
        <p id={id} class={error ? 'field-error' : 'field-hint'} {...(error && { role: 'alert' })}>
          {error ?? labels.hint}
        </p>
      </div>
      <input
        ref={input}
        type="file"
        hidden
        accept="image/jpeg,image/png,image/webp,image/avif"
        onChange={(event) => {
          send(event.currentTarget.files?.[0]);
          event.currentTarget.value = '';
        }}
      />
    </div>
  );
}
