/** A session that tickets are valid for. */
export interface SheetSession {
  id: number;
  name: string;
  startsAt: Date;
  finishesAt: Date;
  doorsOpenAt: Date | null;
}

export interface SheetTicket {
  id: number;
  /** The place of the ticket in its order, from 1. */
  number: number;
  /** The group of the item, such as a part of the venue. */
  group: string | null;
  name: string;
  /** Null after the data of the buyer was erased. */
  holder: string | null;
  sessionIds: readonly number[];
  /** `used`: somebody was admitted with the ticket, in each of its sessions. */
  status: 'valid' | 'used' | 'refunded';
  code: string;
  /** For typing, if the QR code cannot be scanned. Null for tickets with an imported code. */
  shortCode: string | null;
}

/** The tickets of an order with all facts that are printed on them. The cards of the order page, the PDF and the calendar show the same facts. */
export interface TicketSheet {
  orderId: number;
  approvedAt: Date;
  currency: string;
  event: {
    id: number;
    title: string;
    link: string;
    /** The slug of the category. */
    category: string;
    timezone: string;
    isCancelled: boolean;
    venue: { name: string; address: string; lat: number | null; lng: number | null } | null;
  };
  /** The sessions of the tickets, by date. */
  sessions: readonly SheetSession[];
  tickets: readonly SheetTicket[];
  /** How many tickets the order has, including refunded tickets and tickets that are not in `tickets`. */
  total: number;
}

export const sessionsOf = ({ sessions }: TicketSheet, { sessionIds }: SheetTicket): SheetSession[] =>
  sessions.filter(({ id }) => sessionIds.includes(id));

/** The name of the item after the name of its group, such as `Pista · 2º lote`. */
export const itemOf = ({ group, name }: Pick<SheetTicket, 'group' | 'name'>): string => (group === null ? name : `${group} · ${name}`);
