import type { DoorMessages } from '../../../messages/console/door.en.ts';
import { useMessages } from '../../app/console.ts';
import { useEvent } from '../../app/use-event.ts';
import { Tabs } from '../../parts/tabs.tsx';

/** The two screens of the door. Whoever may see only one of them sees no tabs. */
export function DoorTabs() {
  const { event, can } = useEvent();
  const t = useMessages<DoorMessages>();
  const path = `/events/${event.id}/door`;
  if (!can('checkin.make') || !can('checkin.read')) return null;
  return (
    <Tabs
      label={t.title}
      items={[
        { path, label: t.tabs.now },
        { path: `${path}/scans`, label: t.tabs.scans },
      ]}
    />
  );
}
