import type { Item } from '../../parts/item.ts';

/** A group with its lots, or an item without a group. */
export interface Branch {
  item: Item;
  lots: Item[];
}

const byPosition = (a: Item, b: Item): number => a.position - b.position || a.id - b.id;

export function treeOf(items: readonly Item[]): Branch[] {
  const sorted = items.toSorted(byPosition);
  // An item whose group is not in the list is shown at the top level, so that nothing disappears.
  const groups = new Set(sorted.filter(({ type }) => type === 'group').map(({ id }) => id));
  const isTop = ({ parentId }: Item) => parentId === null || !groups.has(parentId);
  return sorted.filter(isTop).map((item) => ({ item, lots: sorted.filter(({ parentId }) => parentId === item.id) }));
}

/** The ids in the order in which they are shown: each group before its lots. */
export const orderOf = (tree: readonly Branch[]): number[] => tree.flatMap(({ item, lots }) => [item.id, ...lots.map(({ id }) => id)]);

/** The items that the item can change places with: the lots of its group, or everything at the top level. */
export function siblingsOf(tree: readonly Branch[], id: number): number[] {
  const group = tree.find(({ lots }) => lots.some((lot) => lot.id === id));
  return (group ? group.lots : tree.map(({ item }) => item)).map((item) => item.id);
}

/** The new order after the item has moved to the place of one of its siblings. Null if it cannot move there. */
export function moved(tree: readonly Branch[], id: number, place: number): number[] | null {
  const siblings = siblingsOf(tree, id);
  if (place < 0 || place >= siblings.length || siblings.indexOf(id) === place) return null;
  const others = siblings.filter((other) => other !== id);
  const next = [...others.slice(0, place), id, ...others.slice(place)];
  const isTop = tree.some(({ item }) => item.id === id);
  const lotsOf = (branch: Branch): number[] => branch.lots.map((lot) => lot.id);
  if (isTop) return next.flatMap((top) => [top, ...lotsOf(tree.find(({ item }) => item.id === top) as Branch)]);
  return tree.flatMap((branch) => [branch.item.id, ...(lotsOf(branch).includes(id) ? next : lotsOf(branch))]);
}
