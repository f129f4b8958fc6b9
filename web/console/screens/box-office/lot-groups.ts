import type { AnswerOf } from '../../../../client/src/index.ts';

/** A group of tickets on sale, such as an area with its lots. */
export type TicketGroup = AnswerOf<'getEventTickets'>['data'][number];
