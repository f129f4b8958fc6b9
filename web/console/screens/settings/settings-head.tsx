import type { ComponentChildren } from 'preact';
import type { SettingsMessages } from '../../../messages/console/settings.en.ts';
import { useMessages } from '../../app/console.ts';
import { useEvent } from '../../app/use-event.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { Tabs } from '../../parts/tabs.tsx';
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
  return (
    <>
      <PageHead title={t.subjects[subject]} about={t.about[subject]}>
        {children}
      </PageHead>
      <Tabs
        label={t.title}
        items={subjects.map((each) => ({ path: each === 'details' ? base : `${base}/${each}`, label: t.subjects[each] }))}
      />
    </>
  );
}
