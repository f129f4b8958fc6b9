export { EventList } from './event-list.tsx';
export { NewEvent } from './new-event.tsx';
