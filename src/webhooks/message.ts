import type { ChangeType } from '../kernel/change-types.ts';
import type { DeliveryRow } from './deliveries.sql.ts';

/** The version of the form of messages. A field may be added without a new version. */
export const messageVersion = 1;

/** The type of a message that `POST …/test` sends. */
export const testType = 'webhook.test';

export interface Message {
  type: ChangeType | typeof testType;
  /** When the change was made. */
  timestamp: string;
  version: typeof messageVersion;
  data: object | null;
}

export const toMessage = (type: string, at: Date, data: object | null): Message => ({
  type: type as Message['type'],
  timestamp: at.toISOString(),
  version: messageVersion,
  data,
});

/** The same for all deliveries of a change, to all webhooks and in the feed, so that receivers can deduplicate. */
export const messageIdOf = (position: number): string => `msg_${position}`;

export const messageIdOfDelivery = ({ id, position }: Pick<DeliveryRow, 'id' | 'position'>): string =>
  position === null ? `test_${id}` : messageIdOf(position);
