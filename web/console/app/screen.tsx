import { useEffect } from 'preact/hooks';
import { EmptyState } from '../../ui/empty-state.tsx';
import * as icons from '../../ui/icons.ts';
import { PageHead } from '../parts/page-head.tsx';
import { Failure } from '../parts/show.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { AreaMessages, useConsole } from './console.ts';
import { EventFrame } from './event-frame.tsx';
import { storedScroll, to } from './place.ts';
import type { Loaded } from './use-data.ts';
import { type EventData, useEvent } from './use-event.ts';
import type { Screen, ScreenState } from './use-screen.ts';

interface ScreenOfProps {
  state: ScreenState;
  event: Loaded<EventData | null> | null;
}

/** The screen of the address, if it exists and the user may see it. */
export function ScreenOf({ state, event }: ScreenOfProps) {
  if (state.kind === 'loading') return <Skeleton />;
  if (state.kind === 'missing') return <Missing />;
  // A chunk of an older version may be gone. Loading the page again fetches the new version.
  if (state.kind === 'failed') return <Failure error={state.error} retry={() => location.reload()} />;
  const { screen } = state;
  if (!event || screen.params.eventId === undefined) return <Permitted screen={screen} />;
  if (isMissing(event.error) && event.data === undefined) return <Missing />;
  return (
    <EventFrame loaded={event}>
      <PermittedInEvent screen={screen} />
    </EventFrame>
  );
}

const isMissing = (error: unknown): boolean => (error as { status?: number } | undefined)?.status === 404;

function Permitted({ screen }: { screen: Screen }) {
  const { can, me } = useConsole();
  const { needs, open } = screen.route;
  const { producerId } = screen.params;
  const isAllowed = open || (me && (needs === undefined || can(needs, { producerId: producerId ? Number(producerId) : undefined })));
  return isAllowed ? <Body screen={screen} /> : <Forbidden isForAdmins={needs === 'admin'} />;
}

function PermittedInEvent({ screen }: { screen: Screen }) {
  const { can } = useConsole();
  const event = useEvent();
  const { needs } = screen.route;
  const isAllowed = needs === undefined || (needs === 'admin' ? can('admin') : event.can(needs));
  return isAllowed ? <Body screen={screen} /> : <Forbidden isForAdmins={needs === 'admin'} />;
}

function Body({ screen: { component: Component, route, params, query, messages } }: { screen: Screen }) {
  const key = `${route.path} ${Object.values(params).join(' ')}`;
  useEffect(() => scrollTo(0, storedScroll()), [key]);
  return (
    <AreaMessages.Provider value={messages}>
      <Component key={key} params={params} query={query} />
    </AreaMessages.Provider>
  );
}

function Missing() {
  const { t } = useConsole();
  return (
    <>
      <PageHead title={t.missing.title} />
      <EmptyState icon={icons.search} title={t.missing.title} text={t.missing.text} action={{ href: to('/'), label: t.missing.home }} />
    </>
  );
}

function Forbidden({ isForAdmins }: { isForAdmins: boolean }) {
  const { t } = useConsole();
  const text = isForAdmins ? t.forbidden.admin : t.forbidden.text;
  return (
    <>
      <PageHead title={t.forbidden.title} />
      <EmptyState icon={icons.shield} title={t.forbidden.title} text={text} action={{ href: to('/'), label: t.missing.home }} />
    </>
  );
}
