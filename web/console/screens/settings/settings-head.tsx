import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { SettingsMessages } from '../../../messages/console/settings.en.ts';
import { useMessages } from '../../app/console.ts';
import { to } from '../../app/place.ts';
import { useEvent } from '../../app/use-event.ts';
import { PageHead } from '../../parts/page-head.tsx';
import './settings.css';

const subjects = ['details', 'page', 'sessions', 'rules', 'waiting-room', 'attributes', 'status'] as const;
type Subject = (typeof subjects)[number];

interface SettingsHeadProps {
  subject: Subject;
  /** The main action of the screen. */
  children?: ComponentChildren;
}

/** The head of each screen of the settings, with links to the others. */
export function SettingsHead({ subject, children }: SettingsHeadProps) {
  const t = useMessages<SettingsMessages>();
  const { event } = useEvent();
  const base = `/events/${event.id}/settings`;
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    // On a phone the links are wider than the screen.
    const link = nav.current?.querySelector<HTMLElement>('[aria-current]');
    if (link) nav.current?.scrollTo({ left: link.offsetLeft - 60 });
  }, []);
  return (
    <>
      <PageHead title={t.subjects[subject]} about={t.about[subject]}>
        {children}
      </PageHead>
      <nav ref={nav} class="chips scrolling" aria-label={t.title}>
        {subjects.map((each) => (
          <a
            key={each}
            class="chip"
            href={to(each === 'details' ? base : `${base}/${each}`)}
            {...(each === subject && { 'aria-current': 'page' })}
          >
            {t.subjects[each]}
          </a>
        ))}
      </nav>
    </>
  );
}
