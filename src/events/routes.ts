import { type Capability, capability } from '../http/capability.ts';
import type { Act } from '../kernel/act.ts';
import type { ReceivePicture } from '../platform/pictures/picture-store.ts';
import type { Tx } from '../postgres/database.ts';
import { getAttributes, updateAttributes } from './attributes.ts';
import { getCancellation } from './cancellation.ts';
import { createCategory, deleteCategory, listCategories, updateCategory } from './categories.ts';
import { eventsContract } from './contract.ts';
import { createEvent } from './create-event.ts';
import { addCrewMember, getCrew, removeCrewMember, updateCrewMember } from './crew.ts';
import { type Event } from './event-schemas.ts';
import { cancelEvent, publishEvent, unpublishEvent } from './event-status.ts';
import { deletePoster, uploadPoster } from './poster.ts';
import { createPreview } from './preview.ts';
import type { ReadEvent } from './read-event.ts';
import { createSession, deleteSession, duplicateSession, updateSession } from './sessions.ts';
import { updateEvent } from './update-event.ts';

export interface EventsSetup {
  /** Returns the first segments of API paths, which cannot be slugs of categories. */
  reservedSlugs: () => ReadonlySet<string>;
  read: ReadEvent;
  receivePicture: ReceivePicture;
  /** The address of the shop, for preview links. */
  shopUrl: string;
}

export function events({ reservedSlugs, read, receivePicture, shopUrl }: EventsSetup): Capability {
  const readAfter = async (tx: Tx, act: Act, id: number, writing: Promise<void>): Promise<Event> => {
    await writing;
    return read.event(tx, act, id);
  };
  return capability(eventsContract, {
    createEvent: async (tx, act, { body }) => read.event(tx, act, await createEvent(tx, act, body)),
    updateEvent: (tx, act, { params, body }) => updateEvent(tx, act, params.id, body, read),
    publishEvent: (tx, act, { params, body }) => readAfter(tx, act, params.id, publishEvent(tx, act, params.id, body.private === true)),
    unpublishEvent: (tx, act, { params }) => readAfter(tx, act, params.id, unpublishEvent(tx, act, params.id)),
    cancelEvent: (tx, act, { params, body: { reason = null, refund = false } }) =>
      readAfter(tx, act, params.id, cancelEvent(tx, act, params.id, { reason, refund })),
    uploadPoster: async (act, { params, file }) => {
      const picture = await receivePicture(act, file, 'photo');
      return (tx) => uploadPoster(tx, act, params.id, picture);
    },
    deletePoster: (tx, act, { params }) => deletePoster(tx, act, params.id),
    createPreview: (tx, act, { params, body }) => createPreview(tx, act, params.id, shopUrl, body.locale),
    getCancellation: (tx, _act, { params }) => getCancellation(tx, params.id),
    createSession: async (tx, act, { params, body }) => read.session(tx, act, params.id, await createSession(tx, act, params.id, body)),
    updateSession: (tx, act, { params, body }) => updateSession(tx, act, { eventId: params.id, id: params.sessionId, sent: body }, read),
    duplicateSession: async (tx, act, { params, body }) => {
      const copyId = await duplicateSession(tx, act, { eventId: params.id, id: params.sessionId }, body);
      return read.session(tx, act, params.id, copyId);
    },
    deleteSession: (tx, act, { params }) => deleteSession(tx, act, params.id, params.sessionId),
    getAttributes: (tx, { actor }, { params, query }) => getAttributes(tx, actor, params.id, query.filters),
    updateAttributes: (tx, act, { params, body }) => updateAttributes(tx, act, params.id, body),
    listCategories: async (tx) => ({ data: await listCategories(tx), nextCursor: null }),
    createCategory: (tx, act, { body }) => createCategory(tx, act, body, reservedSlugs()),
    updateCategory: (tx, act, { params, body }) => updateCategory(tx, act, params.id, body, reservedSlugs()),
    deleteCategory: (tx, act, { params }) => deleteCategory(tx, act, params.id),
    getCrew: (tx, _act, { params }) => getCrew(tx, params.id),
    addCrewMember: (tx, act, { params, body }) => addCrewMember(tx, act, params.id, body),
    updateCrewMember: (tx, act, { params, body }) => updateCrewMember(tx, act, params.id, params.userId, body.role),
    removeCrewMember: (tx, act, { params }) => removeCrewMember(tx, act, params.id, params.userId),
  });
}
