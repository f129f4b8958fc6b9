import Type, { type Static } from 'typebox';
import { permitted } from '../kernel/access.ts';
import { changeTypes } from '../kernel/change-types.ts';
import { route } from '../kernel/route.ts';
import { closed, Id, Instant, named } from '../kernel/schema.ts';

const Change = named('Change', {
  id: Type.String({ description: 'The same as the header `webhook-id` of the deliveries of this change' }),
  type: Type.Unsafe<(typeof changeTypes)[number]>({ type: 'string', enum: [...changeTypes] }),
  timestamp: Instant,
  version: Type.Literal(1),
  data: Type.Unsafe<Record<string, unknown> | null>({
    type: ['object', 'null'],
    description:
      'The object as the API returns it now to an owner of the producer: an order, a scan, an item, an event or an export. Null if it no longer exists',
  }),
});

const Changes = closed({
  data: Type.Array(Change),
  next: Type.String({ description: 'Send it as `since` to read on' }),
  more: Type.Boolean({ description: 'Whether there are more changes now' }),
});
export type Changes = Static<typeof Changes>;

export const Since = Type.String({ maxLength: 500, description: 'The value of `next` in an earlier response' });

const ChangeQuery = Type.Object({
  since: Type.Optional(Since),
  pageSize: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 25 })),
});
export type ChangeQuery = Static<typeof ChangeQuery>;

export const changeContract = {
  listChanges: route({
    method: 'GET',
    path: '/producers/{id}/changes',
    group: 'account',
    summary: 'Read the changes of a producer',
    description: [
      'Returns the changes that webhooks deliver, oldest first. The feed has no gaps: a change that is committed later always comes after the changes that were read before. Without `since` it starts with the oldest change that is still stored.',
      'Returns 410 `cursor_expired` if changes after `since` may already be deleted (`RETENTION_CHANGE_DAYS`). Then read the objects themselves, and start again without `since`.',
    ].join('\n\n'),
    access: permitted('webhook.manage', { producer: 'path.id' }),
    params: Type.Object({ id: Id }),
    query: ChangeQuery,
    answer: { status: 200, body: Changes },
    problems: ['cursor_expired'],
    examples: {
      params: { id: 1 },
      query: { pageSize: 100 },
      answer: {
        data: [
          { id: 'msg_5120', type: 'item.soldout', timestamp: '2026-11-20T13:00:00.000Z', version: 1, data: { id: 42, status: 'soldout' } },
        ],
        next: 'WzUxMjAsMTc5NTE4MzIwMDAwMF0',
        more: false,
      },
    },
  }),
};
