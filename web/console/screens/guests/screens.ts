export { GuestList } from './guest-list.tsx';
