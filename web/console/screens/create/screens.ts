export { NewEvent } from './new-event.tsx';
export { Setup } from './setup.tsx';
