import type { Frame } from '../../../../src/web/contract.ts';
import type { OrderPage } from '../../../../src/web/order-contract.ts';
import { href } from '../../page.ts';
import { orderPath } from './order-data.ts';

/** The address of the forms of an order. */
export const formAction = (frame: Frame, { id, event }: OrderPage): string => href(frame, orderPath({ id, eventId: event.id }));
