export { Attributes } from './attributes.tsx';
export { Details } from './details.tsx';
export { EventPage } from './event-page.tsx';
export { Rules } from './rules.tsx';
export { Sessions } from './sessions.tsx';
export { Status } from './status.tsx';
export { WaitingRoom } from './waiting-room.tsx';
