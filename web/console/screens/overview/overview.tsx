import type { AnswerOf } from '../../../../client/src/index.ts';
import type { OverviewMessages } from '../../../messages/console/overview.en.ts';
import { fill, plural } from '../../../messages/fill.ts';
import { dayRange, money } from '../../../ui/format.ts';
import type { ScreenProps } from '../../app/area.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { to } from '../../app/place.ts';
import { useEvent } from '../../app/use-event.ts';
import { useLive } from '../../app/use-live.ts';
import { type Figure, Figures } from '../../parts/figures.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Progress } from '../../parts/progress.tsx';
import { Show } from '../../parts/show.tsx';
import { Activity } from './activity.tsx';
import { Channels } from './channels.tsx';
import { Checklist } from './checklist.tsx';
import { EventActions } from './event-actions.tsx';
import { ItemStock } from './item-stock.tsx';
import { SalesChart } from './sales-chart.tsx';
import './overview.css';

export type Dashboard = AnswerOf<'getDashboard'>;

/** The overview. People who may not see sales get what the event still needs, and its facts. */
export function Overview({ query }: ScreenProps) {
  const { client, t: frame, locale } = useConsole();
  const t = useMessages<OverviewMessages>();
  const { event, can } = useEvent();
  const by = query.get('by') === 'day' ? 'day' : 'hour';
  const seesSales = can('report.read');
  const dashboard = useLive<Dashboard | Record<string, never>>(
    async (options) => (seesSales ? await client.reports.dashboard({ id: event.id, by }, options) : {}),
    [event.id, by, seesSales],
  );
  const figures = dashboard.data && 'totals' in dashboard.data ? (dashboard.data as Dashboard) : null;
  const when = event.start && event.finish ? dayRange(event.start, event.finish, locale) : t.noDate;
  return (
    <>
      <PageHead
        title={event.title}
        about={
          <span class="overview-about">
            <span class={`pill ${event.status}`}>{frame.status[event.status]}</span>
            <span>{[when, event.venue?.name].filter(Boolean).join(' · ')}</span>
          </span>
        }
      >
        <EventActions />
      </PageHead>
      {event.status === 'draft' && <Checklist />}
      {!seesSales && <Tasks />}
      {seesSales && <Show of={dashboard}>{() => figures && <Sales dashboard={figures} by={by} />}</Show>}
    </>
  );
}

/** For people who may not see sales: what their role is for. */
function Tasks() {
  const t = useMessages<OverviewMessages>();
  const { event, can } = useEvent();
  const tasks = [
    { label: t.tasks.sell, href: to(`/events/${event.id}/box-office`), isOpen: can('order.sell') },
    { label: t.tasks.door, href: '/door/', isOpen: can('checkin.make') },
    { label: t.tasks.entries, href: to(`/events/${event.id}/reports`), isOpen: can('guest.read') },
  ].filter(({ isOpen }) => isOpen);
  if (tasks.length === 0) return null;
  return (
    <section class="panel">
      <h2>{t.tasks.title}</h2>
      <ul class="overview-tasks">
        {tasks.map(({ label, href }) => (
          <li key={href}>
            <a class="button secondary" href={href}>
              {label}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Sales({ dashboard, by }: { dashboard: Dashboard; by: 'hour' | 'day' }) {
  return (
    <div class="overview">
      <Figures of={useFigures(dashboard)} />
      <SalesChart dashboard={dashboard} by={by} />
      <div class="overview-columns">
        <ItemStock dashboard={dashboard} />
        <div class="stack">
          {dashboard.entries.tickets > 0 && <Entries dashboard={dashboard} />}
          {dashboard.channels.length > 0 && <Channels dashboard={dashboard} />}
          <Activity entries={dashboard.activity} />
        </div>
      </div>
    </div>
  );
}

function useFigures({ totals, conversion, currency }: Dashboard): Figure[] {
  const { locale } = useConsole();
  const t = useMessages<OverviewMessages>();
  const count = new Intl.NumberFormat(locale);
  /** Tickets that are held now can still be paid, so the share leaves them out. */
  const decided = Math.max(conversion.ordered - totals.held, conversion.paid);
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 });
  return [
    {
      label: t.figures.sold,
      value: count.format(totals.sold + totals.courtesy),
      note: totals.left === null ? t.figures.unlimited : plural(locale, t.figures.left, totals.left),
    },
    { label: t.figures.held, value: count.format(totals.held), note: t.figures.heldNote },
    {
      label: t.figures.revenue,
      value: money(totals.gross, currency, locale),
      note: fill(t.figures.net, { amount: money(totals.net, currency, locale) }),
    },
    {
      label: t.figures.conversion,
      value: conversion.percent === null ? '–' : percent.format(conversion.percent / 100),
      note: decided === 0 ? t.figures.noOrders : plural(locale, t.figures.conversionNote, decided),
    },
  ];
}

function Entries({ dashboard: { eventId, entries } }: { dashboard: Dashboard }) {
  const { locale } = useConsole();
  const { event } = useEvent();
  const t = useMessages<OverviewMessages>();
  const count = new Intl.NumberFormat(locale);
  const label = fill(t.entries.text, { checked: count.format(entries.checked), tickets: count.format(entries.tickets) });
  return (
    <section class="panel stack">
      <h2>{t.entries.title}</h2>
      <Progress label={label} value={entries.checked} of={entries.tickets} />
      {/* The sum of several sessions counts guests with a ticket for all of them more than once. */}
      {event.sessions.length === 1 && <p>{plural(locale, t.entries.inside, entries.inside)}</p>}
      <p>
        <a href={to(`/events/${eventId}/reports`)}>{t.entries.open}</a>
      </p>
    </section>
  );
}
