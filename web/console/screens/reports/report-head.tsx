import type { ComponentChildren } from 'preact';
import type { ReportsMessages } from '../../../messages/console/reports.en.ts';
import { useMessages } from '../../app/console.ts';
import { useEvent } from '../../app/use-event.ts';
import { SelectFilter } from '../../parts/filters.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import './reports.css';

interface ReportHeadProps {
  current: 'entry' | 'bordero';
  about?: ComponentChildren;
  children?: ComponentChildren;
}

/** The head of both reports: the way to the other report, and the session that the report is about. */
export function ReportHead({ current, about, children }: ReportHeadProps) {
  const t = useMessages<ReportsMessages>();
  const { event, can } = useEvent();
  const reports = [
    { path: `/events/${event.id}/reports`, label: t.entry.title, isOpen: can('guest.read') },
    { path: `/events/${event.id}/reports/bordero`, label: t.bordero.title, isOpen: can('report.read') },
  ];
  return (
    <>
      <PageHead title={t[current].title} about={about}>
        {children}
      </PageHead>
      <div class="reports-tools">
        <Tabs label={t.reports} items={reports.filter(({ isOpen }) => isOpen)} />
        {event.sessions.length > 1 && (
          <SelectFilter
            name="session"
            label={t.session}
            options={[{ value: '', label: t.allSessions }, ...event.sessions.map(({ id, name }) => ({ value: String(id), label: name }))]}
          />
        )}
      </div>
    </>
  );
}

/** The session of the address, if the event has it. */
export function useSession(query: URLSearchParams): { sessionId?: number } {
  const { event } = useEvent();
  const session = event.sessions.find(({ id }) => String(id) === query.get('session'));
  return session ? { sessionId: session.id } : {};
}
