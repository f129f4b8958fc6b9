import { useState } from 'preact/hooks';
import type { HomeMessages } from '../../../messages/console/home.en.ts';
import { useConsole, useMessages } from '../../app/console.ts';

const widths = ['phone', 'computer'] as const;

/** The home page as buyers see it. It cannot be used, because its links would leave the preview. */
export function Preview({ version }: { version: number }) {
  const { locale } = useConsole();
  const t = useMessages<HomeMessages>();
  const [width, setWidth] = useState<(typeof widths)[number]>('phone');
  return (
    <div class="home-preview">
      <div class="actions spread">
        <h2>{t.preview.title}</h2>
        <span class="home-widths">
          {widths.map((name) => (
            <button key={name} type="button" class="button plain" aria-pressed={name === width} onClick={() => setWidth(name)}>
              {t.preview[name]}
            </button>
          ))}
        </span>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: A box that scrolls must be reachable by keyboard. */}
      <div class={`home-screen ${width}`} tabIndex={0} role="region" aria-label={t.preview.title}>
        {/* The number makes the browser ask the service again after a change. */}
        <iframe key={`${version} ${locale}`} src={`/${locale}/?preview=${version}`} title={t.preview.title} tabIndex={-1} />
      </div>
    </div>
  );
}
