import type { ChangeType } from '../../kernel/change-types.ts';
import type { Statement } from '../../postgres/pipeline.ts';
import { insertChanges } from './changes.sql.ts';

/** The kinds of objects that changes are about. A `code` is an imported code whose ticket was sold elsewhere. */
export type SubjectKind = 'order' | 'ticket' | 'code' | 'item' | 'event' | 'export';

export interface NewChange {
  eventId: number;
  type: ChangeType;
  /** The object that changed. Webhooks deliver the changes of one object in order. */
  subject: { kind: SubjectKind; id: number };
  /** The nonce of the scan, if the change is a check-in. */
  part?: string;
  at: Date;
}

/**
 * Returns the statement that writes changes into the outbox, to be sent in one round trip with the changes themselves. So a change is in the
 * feed if and only if it was committed.
 */
export const recordChanges = (changes: readonly NewChange[]): Statement[] =>
  changes.length === 0
    ? []
    : [
        insertChanges(
          changes.map(({ eventId, type, subject, part = null, at }) => ({
            eventId,
            type,
            subject: `${subject.kind}/${subject.id}`,
            part,
            at,
          })),
        ),
      ];
