import type { DemoEvent } from './demo-event.ts';
import { eventsAbroad } from './events-abroad.ts';
import { eventsInBrazil } from './events-in-brazil.ts';
import { moreEventsInBrazil } from './more-events-in-brazil.ts';
import { quietEvents } from './quiet-events.ts';

/** All demo events. The tutorial names some by their id, which is their place in this list. */
export const demoEvents: DemoEvent[] = [...eventsInBrazil, ...quietEvents, ...eventsAbroad, ...moreEventsInBrazil];
