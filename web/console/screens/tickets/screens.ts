export { TicketList } from './ticket-list.tsx';
