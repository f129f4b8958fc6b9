import type { ComponentChildren } from 'preact';
import type { ReportsMessages } from '../../../messages/console/reports.en.ts';
import { useMessages } from '../../app/console.ts';
import { to } from '../../app/place.ts';
import { useEvent } from '../../app/use-event.ts';
import { SelectFilter } from '../../parts/filters.tsx';
import { PageHead } from '../../parts/page-head.tsx';
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
    { name: 'entry', path: '/reports', isOpen: can('guest.read') },
    { name: 'bordero', path: '/reports/bordero', isOpen: can('report.read') },
  ] as const;
  return (
    <>
      <PageHead title={t[current].title} about={about}>
        {children}
      </PageHead>
      <div class="reports-tools">
        <nav class="reports-views" aria-label={t.reports}>
          {reports
            .filter(({ isOpen }) => isOpen)
            .map(({ name, path }) => (
              <a
                key={name}
                class="chip"
                href={to(`/events/${event.id}${path}`)}
                {...(name === current && { 'aria-current': 'page' as const })}
              >
                {t[name].title}
              </a>
            ))}
        </nav>
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
