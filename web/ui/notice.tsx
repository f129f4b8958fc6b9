import type { ComponentChildren } from 'preact';
import { Icon } from './icon.tsx';
import * as icons from './icons.ts';

type Tone = 'ok' | 'warn' | 'bad' | 'plain';

const iconOf: Record<Tone, string> = { ok: icons.check, warn: icons.clock, bad: icons.alert, plain: icons.ticket };

interface NoticeProps {
  tone: Tone;
  title?: string;
  id?: string;
  /** Set if the notice is the result of what the reader just did. Screen readers then read it aloud. */
  alert?: boolean;
  children?: ComponentChildren;
}

/** A message in a box. The icon and the words carry the meaning, the colour only supports it. */
export const Notice = ({ tone, title, id, alert, children }: NoticeProps) => (
  <div class={`notice ${tone}`} {...(id && { id })} {...(alert && { role: 'alert' })}>
    <Icon path={iconOf[tone]} />
    <div>
      {title && <p class="notice-title">{title}</p>}
      {children}
    </div>
  </div>
);
