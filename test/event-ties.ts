import type { JoinExpr, Node } from 'libpg-query';
import { childrenOf, leavesOf, nameOf, outputNames, stringsOf, type Tree, toTree, toTrees } from './sql-tree.ts';

/** What the columns of an item of a FROM clause are compared with. */
export interface Source {
  name: string;
  /**
   * `keyed`: a table whose event_id must be tied. `linked`: its columns belong to a known event only if they are compared with one. This is
   * the table `event`, or a lateral subquery that depends on its neighbours. `anchor`: everything else.
   */
  kind: 'keyed' | 'linked' | 'anchor';
  /** The names of the columns, as far as the statement gives them. */
  columns: readonly string[];
}

/** Parameters, constants, columns of sources of kind `anchor` and columns of an outer query. They all belong to a known event. */
const anchor = 'anchor';

/** If `from` belongs to a known event, then `to` belongs to the same event. Both are columns, written `alias.column`, or `anchor`. */
interface Tie {
  from: string;
  to: string;
}

const bothWays = (a: string | null, b: string | null): Tie[] =>
  a === null || b === null
    ? []
    : [
        { from: a, to: b },
        { from: b, to: a },
      ];

/** One query without its subqueries: the sources of its FROM clause, and the equalities between their columns. */
export class QueryLevel {
  readonly #sources: Map<Tree, Source>;
  readonly #ties: Tie[];

  constructor(from: readonly Tree[], where: Node | undefined, toSource: (leaf: Tree) => Source) {
    this.#sources = new Map(from.flatMap(leavesOf).map((leaf) => [leaf, toSource(leaf)]));
    this.#ties = [...from.flatMap((item) => this.#joinTies(item)), ...this.#equalities(toTree(where)), ...this.#lateralTies()];
  }

  /** Makes each `event_id` that the query returns an anchor. The reader of a view compares that column with an event. */
  anchorOutputs(targets: readonly Tree[]): void {
    for (const { ResTarget } of targets) {
      const { ColumnRef } = toTree(ResTarget?.val);
      const names = stringsOf(ColumnRef?.fields);
      if ((ResTarget?.name ?? names.at(-1)) === 'event_id' && ColumnRef) this.#ties.push({ from: anchor, to: this.#resolve(names) });
    }
  }

  /** The keyed sources whose event_id is not tied to an anchor. */
  untied(): Tree[] {
    const tied = new Set([anchor]);
    for (let before = 0; before < tied.size; ) {
      before = tied.size;
      for (const { from, to } of this.#ties) if (tied.has(from)) tied.add(to);
    }
    return [...this.#sources].filter(([, { kind, name }]) => kind === 'keyed' && !tied.has(`${name}.event_id`)).map(([leaf]) => leaf);
  }

  #ofKind(kind: Source['kind'], leaves: Iterable<Tree> = this.#sources.keys()): Source[] {
    return [...leaves].flatMap((leaf) => this.#sources.get(leaf) ?? []).filter((source) => source.kind === kind);
  }

  #joinTies({ JoinExpr }: Tree): Tie[] {
    if (!JoinExpr) return [];
    const sides = [toTree(JoinExpr.larg), toTree(JoinExpr.rarg)];
    return [...sides.flatMap((side) => this.#joinTies(side)), ...this.#conditionTies(JoinExpr, sides)];
  }

  /** An outer join returns rows of one side for which the condition is false. So the condition restricts only the other side. */
  #conditionTies({ jointype, quals, usingClause }: JoinExpr, [left, right]: Tree[]): Tie[] {
    const ties = this.#equalities(toTree(quals));
    if (left && right && stringsOf(usingClause).includes('event_id')) {
      for (const a of this.#keysIn(left)) for (const b of this.#keysIn(right)) ties.push(...bothWays(a, b));
    }
    if (jointype === 'JOIN_INNER') return ties;
    const restricted = { JOIN_LEFT: right, JOIN_RIGHT: left }[jointype as string];
    const names = restricted ? leavesOf(restricted).map(nameOf) : [];
    return ties.filter(({ to }) => names.some((name) => to.startsWith(`${name}.`)));
  }

  /** The columns that `using (event_id)` compares on one side of a join. */
  #keysIn(side: Tree): string[] {
    const keyed = this.#ofKind('keyed', leavesOf(side));
    return keyed.length > 0 ? keyed.map(({ name }) => `${name}.event_id`) : [anchor];
  }

  /** The equalities that hold for every row that the condition accepts. */
  #equalities({ BoolExpr, A_Expr, SubLink }: Tree): Tie[] {
    if (BoolExpr?.boolop === 'AND_EXPR') return toTrees(BoolExpr.args).flatMap((each) => this.#equalities(each));
    if (BoolExpr?.boolop === 'OR_EXPR') return inAll(toTrees(BoolExpr.args).map((each) => this.#equalities(each)));
    if (SubLink?.subLinkType === 'ANY_SUBLINK' && (SubLink.operName === undefined || stringsOf(SubLink.operName)[0] === '='))
      return this.#rowTies(toTree(SubLink.testexpr), toTree(SubLink.subselect));
    if (A_Expr && stringsOf(A_Expr.name)[0] === '=') {
      const [left, right] = [toTree(A_Expr.lexpr), toTree(A_Expr.rexpr)];
      if (A_Expr.kind === 'AEXPR_OP') return this.#rowTies(left, right);
      if (A_Expr.kind === 'AEXPR_OP_ANY') return bothWays(this.#operand(left), this.#operand(right));
      // Each value of the list may be another event, so the column is tied only if all values are.
      if (A_Expr.kind === 'AEXPR_IN') return inAll(toTrees(right.List?.items).map((value) => this.#rowTies(left, value)));
    }
    return [];
  }

  /** `(a, b) = (c, d)` is two equalities. In `(a, b) = (select …)` both columns equal an output of the subquery. */
  #rowTies(left: Tree, right: Tree): Tie[] {
    const width = Math.max(left.RowExpr?.args?.length ?? 1, right.RowExpr?.args?.length ?? 1);
    const column = ({ RowExpr, ...other }: Tree, n: number) => this.#operand(RowExpr ? toTree(RowExpr.args?.[n]) : other);
    return Array.from({ length: width }, (_, n) => bothWays(column(left, n), column(right, n))).flat();
  }

  /** The column or anchor that one side of an equality is, or null if the side is computed from columns of keyed tables. */
  #operand(expression: Tree): string | null {
    const { ColumnRef, TypeCast, A_Expr } = expression;
    if (ColumnRef) return this.#resolve(stringsOf(ColumnRef.fields));
    if (TypeCast) return this.#operand(toTree(TypeCast.arg));
    // `event_id + 0` keeps the planner from using an index on event_id.
    if (A_Expr && stringsOf(A_Expr.name)[0] === '+' && isZero(toTree(A_Expr.rexpr))) return this.#operand(toTree(A_Expr.lexpr));
    return this.#dependsOnKeyed(expression) ? null : anchor;
  }

  /** Whether a value is computed from columns of keyed tables of this level. A subquery depends on them only through event_id. */
  #dependsOnKeyed(expression: Tree): boolean {
    return (
      ownColumns(expression).some((names) => this.#resolve(names) !== anchor) ||
      this.#correlatedKeys(expression).some((key) => key !== anchor)
    );
  }

  /** The event_id columns of this level that subqueries of the expression compare with. */
  #correlatedKeys(expression: object): string[] {
    return outerColumns(expression, [])
      .filter((names) => names.at(-1) === 'event_id')
      .map((names) => this.#resolve(names));
  }

  /** A lateral subquery that compares with the event_id of a neighbour returns rows of the same event. */
  #lateralTies(): Tie[] {
    return [...this.#sources].flatMap(([leaf, { kind, name }]) =>
      kind === 'linked' ? this.#correlatedKeys(leaf).map((from) => ({ from, to: `${name}.event_id` })) : [],
    );
  }

  #resolve(names: readonly string[]): string {
    const [table, column = ''] = names.slice(-2);
    if (names.length === 1) return this.#resolveUnqualified(table ?? '');
    const source = [...this.#sources.values()].find(({ name }) => name === table);
    return !source || source.kind === 'anchor' ? anchor : `${table}.${column}`;
  }

  #resolveUnqualified(column: string): string {
    const keyed = this.#ofKind('keyed');
    const isOfAnchor = this.#ofKind('anchor').some(({ name, columns }) => name === column || columns.includes(column));
    if (isOfAnchor || keyed.length === 0) return anchor;
    // Several keyed tables have one unqualified event_id only after `using (event_id)`, which makes their columns equal.
    return `${column === 'event_id' ? keyed[0]?.name : ''}.${column}`;
  }
}

const isZero = ({ A_Const }: Tree): boolean => A_Const?.ival !== undefined && (A_Const.ival.ival ?? 0) === 0;

/** The ties that every list has. */
function inAll([first = [], ...others]: Tie[][]): Tie[] {
  return first.filter((tie) => others.every((ties) => ties.some(({ from, to }) => from === tie.from && to === tie.to)));
}

/** The column references of an expression outside its subqueries. */
function ownColumns(tree: object): string[][] {
  const { ColumnRef, SelectStmt } = tree as Tree;
  if (ColumnRef) return [stringsOf(ColumnRef.fields)];
  return SelectStmt ? [] : childrenOf(tree).flatMap(ownColumns);
}

/** The qualified column references inside subqueries that refer to an outer query. */
function outerColumns(tree: object, hidden: readonly string[], inside = false): string[][] {
  const { ColumnRef, SelectStmt } = tree as Tree;
  const names = stringsOf(ColumnRef?.fields);
  if (ColumnRef) return inside && names.length > 1 && !hidden.includes(names.at(-2) ?? '') ? [names] : [];
  const own = toTrees(SelectStmt?.fromClause).flatMap(leavesOf).map(nameOf);
  return childrenOf(tree).flatMap((child) => outerColumns(child, [...hidden, ...own], inside || SelectStmt !== undefined));
}

/** The source that a subquery, a function or another item without a key is. */
export function unkeyedSource(leaf: Tree): Source {
  const { RangeSubselect, RangeFunction } = leaf;
  const named = stringsOf((RangeSubselect ?? RangeFunction)?.alias?.colnames);
  const defined = toTrees(RangeFunction?.coldeflist).map(({ ColumnDef }) => ColumnDef?.colname ?? '');
  const columns = named.length > 0 ? named : [...defined, ...outputNames(toTree(RangeSubselect?.subquery).SelectStmt)];
  const isCorrelated = RangeSubselect?.lateral && outerColumns(leaf, []).some((names) => names.at(-1) === 'event_id');
  return { name: nameOf(leaf), kind: isCorrelated ? 'linked' : 'anchor', columns };
}
