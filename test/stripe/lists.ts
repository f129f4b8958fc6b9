import { noSuchObject } from './errors.ts';
import { isWithin, type listing, type Values } from './parameters.ts';

interface Page<T> {
  object: 'list';
  data: T[];
  has_more: boolean;
  url: string;
}

/** Returns a page of the objects, newest first. The objects are given in the order of their creation. */
export function pageOf<T extends { id: string; created?: number }>(
  objects: readonly T[],
  { created, limit = 10, starting_after: after, ending_before: before }: Values<typeof listing>,
  url: string,
  kind: string,
): Page<T> {
  const newestFirst = objects.toReversed().filter((object) => !created || isWithin(object.created ?? 0, created));
  const page = (data: T[], hasMore: boolean): Page<T> => ({ object: 'list', data, has_more: hasMore, url });
  if (before) {
    const end = positionOf(objects.toReversed(), newestFirst, before, 'ending_before', kind);
    const start = Math.max(0, end - limit);
    return page(newestFirst.slice(start, end), start > 0);
  }
  const start = after ? positionOf(objects.toReversed(), newestFirst, after, 'starting_after', kind) + 1 : 0;
  return page(newestFirst.slice(start, start + limit), start + limit < newestFirst.length);
}

function positionOf<T extends { id: string }>(all: T[], shown: T[], id: string, param: string, kind: string): number {
  if (!all.some((object) => object.id === id)) throw noSuchObject(kind, id, param, 400);
  return shown.findIndex((object) => object.id === id);
}
