import type { ComponentChildren } from 'preact';
import { etagOf } from '../../../client/src/index.ts';
import { fill } from '../../messages/fill.ts';
import { Show } from '../parts/show.tsx';
import { useConsole } from './console.ts';
import { type Loaded, useData } from './use-data.ts';
import { type EventContext, type EventData, EventValue } from './use-event.ts';

/** Loads the event of the address once for all screens of the event. */
export function useEventData(eventId: string | undefined): Loaded<EventData | null> {
  const { client } = useConsole();
  const loaded = useData<EventData | null>(
    async (signal) => (eventId === undefined ? null : await client.events.get({ id: eventId }, { signal })),
    [eventId],
  );
  // The event of the screen before must not be shown under the new address.
  const isOther = eventId !== undefined && loaded.data !== undefined && String(loaded.data?.id) !== eventId;
  return isOther ? { ...loaded, data: undefined } : loaded;
}

export function eventContext(loaded: Loaded<EventData | null>, can: ReturnType<typeof useConsole>['can']): EventContext | null {
  const { data: event, reload, set } = loaded;
  if (!event) return null;
  return {
    event,
    version: etagOf(event),
    can: (permission) => can(permission, { eventId: event.id, producerId: event.producer.id }),
    reload,
    set,
  };
}

/** Gives the event to the screens. */
export function EventFrame({ loaded, children }: { loaded: Loaded<EventData | null>; children: ComponentChildren }) {
  const { can } = useConsole();
  return (
    <Show of={loaded}>
      {(event) => (
        <EventValue.Provider value={eventContext(loaded, can)}>
          {children}
          {event && <EventTimes timezone={event.timezone} />}
        </EventValue.Provider>
      )}
    </Show>
  );
}

/** Says whose time the screens show, if it is not the time of the reader. */
function EventTimes({ timezone }: { timezone: string }) {
  const { locale, t } = useConsole();
  const nameOf = (timeZone: string | undefined, timeZoneName: 'long' | 'longOffset') =>
    new Intl.DateTimeFormat(locale, { timeZone, timeZoneName }).formatToParts().find(({ type }) => type === 'timeZoneName')?.value ?? '';
  if (nameOf(timezone, 'longOffset') === nameOf(undefined, 'longOffset')) return null;
  return <p class="soft small event-times">{fill(t.eventTimes, { zone: nameOf(timezone, 'long') })}</p>;
}
