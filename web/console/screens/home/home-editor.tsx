import { useState } from 'preact/hooks';
import type { HomeMessages } from '../../../messages/console/home.en.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { to } from '../../app/place.ts';
import { useData } from '../../app/use-data.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { Show } from '../../parts/show.tsx';
import { Cover } from './cover.tsx';
import { Featured } from './featured.tsx';
import { Preview } from './preview.tsx';
import { Sections } from './sections.tsx';
import './home.css';

/** The cover, the featured events and the sections of the home page, beside the page as buyers see it. Every change is live at once. */
export function HomeEditor() {
  const { client, locale } = useConsole();
  const t = useMessages<HomeMessages>();
  const settings = useData((signal) => client.home.settings({}, { signal }), []);
  const [version, setVersion] = useState(0);
  const onChange = async () => {
    await settings.reload();
    setVersion((before) => before + 1);
  };
  return (
    <>
      <PageHead title={t.title} about={t.about} back={{ href: to('/platform'), label: t.platform }}>
        <a class="button plain" href={`/${locale}/`} target="_blank" rel="noreferrer">
          {t.open}
        </a>
      </PageHead>
      <div class="home-editor">
        <Show of={settings}>
          {(data) => (
            <div class="stack">
              <Cover settings={data} onChange={onChange} show={settings.set} />
              <Featured settings={data} onChange={onChange} show={settings.set} />
              <Sections settings={data} onChange={onChange} show={settings.set} />
            </div>
          )}
        </Show>
        <Preview version={version} />
      </div>
    </>
  );
}
