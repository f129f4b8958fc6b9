import type {
  A_Expr,
  BoolExpr,
  ColumnDef,
  ColumnRef,
  CommonTableExpr,
  DeleteStmt,
  IndexElem,
  InsertStmt,
  JoinExpr,
  List,
  MergeStmt,
  Node,
  RangeFunction,
  RangeSubselect,
  RangeVar,
  ResTarget,
  RowExpr,
  SelectStmt,
  SubLink,
  TypeCast,
  UpdateStmt,
} from 'libpg-query';

/** A node of a parsed statement. It has one property, named after its kind. Only the kinds that a check reads are listed. */
export interface Tree {
  A_Const?: { ival?: { ival?: number } };
  A_Expr?: A_Expr;
  BoolExpr?: BoolExpr;
  ColumnDef?: ColumnDef;
  ColumnRef?: ColumnRef;
  CommonTableExpr?: CommonTableExpr;
  DeleteStmt?: DeleteStmt;
  IndexElem?: IndexElem;
  InsertStmt?: InsertStmt;
  JoinExpr?: JoinExpr;
  List?: List;
  MergeStmt?: MergeStmt;
  RangeFunction?: RangeFunction;
  RangeSubselect?: RangeSubselect;
  RangeVar?: RangeVar;
  ResTarget?: ResTarget;
  RowExpr?: RowExpr;
  SelectStmt?: SelectStmt;
  String?: { sval?: string };
  SubLink?: SubLink;
  TypeCast?: TypeCast;
  UpdateStmt?: UpdateStmt;
}

export const toTree = (node: Node | undefined): Tree => (node ?? {}) as Tree;

export const toTrees = (nodes: readonly Node[] | undefined): Tree[] => (nodes ?? []).map(toTree);

/** The strings of a list, such as the parts of a name or the columns of an alias. The `*` of `t.*` is an empty string. */
export const stringsOf = (nodes: readonly Node[] | undefined): string[] => toTrees(nodes).map(({ String }) => String?.sval ?? '');

/** The items of a FROM clause without the joins between them. */
export function leavesOf(item: Tree): Tree[] {
  return item.JoinExpr ? [...leavesOf(toTree(item.JoinExpr.larg)), ...leavesOf(toTree(item.JoinExpr.rarg))] : [item];
}

/** The name by which the columns of an item of a FROM clause are qualified. */
export function nameOf({ RangeVar, RangeSubselect, RangeFunction }: Tree): string {
  return (RangeVar ?? RangeSubselect ?? RangeFunction)?.alias?.aliasname ?? RangeVar?.relname ?? '';
}

/** The names of the columns that a query returns. In a set operation they are the names of the first query. */
export function outputNames(query: SelectStmt | undefined): string[] {
  if (query?.larg) return outputNames(query.larg);
  return toTrees(query?.targetList).map(
    ({ ResTarget }) => ResTarget?.name ?? stringsOf(toTree(ResTarget?.val).ColumnRef?.fields).at(-1) ?? '',
  );
}

export const childrenOf = (tree: object): object[] =>
  Object.values(tree).filter((value): value is object => typeof value === 'object' && value !== null);
