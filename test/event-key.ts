import {
  type DeleteStmt,
  type InsertStmt,
  loadModule,
  type Node,
  parseSync,
  type SelectStmt,
  type UpdateStmt,
  type WithClause,
} from 'libpg-query';
import { QueryLevel, type Source, unkeyedSource } from './event-ties.ts';
import { childrenOf, nameOf, outputNames, type Tree, toTree, toTrees } from './sql-tree.ts';

await loadModule();

/**
 * Statements that are not checked: those that read all events on purpose, those that look up the event of an id, and COPY, which has other
 * forms of its own.
 */
const exempt = /\/\* all events \*\/|\/\* event of \*\/|^\s*copy\b/i;

/** Returns one line for each use of one of the tables that is not tied to an event by its column `event_id`. */
export function findMissingEventKeys(text: string, tables: ReadonlySet<string>): string[] {
  if (exempt.test(text)) return [];
  return new Check(tables, false).run(text);
}

/** Like `findMissingEventKeys`, for the query of a view. Its tables must be tied to the column `event_id` of the view. */
export const findUntiedTables = (viewQuery: string, tables: ReadonlySet<string>): string[] => new Check(tables, true).run(viewQuery);

/** The names of CTEs that a query sees, and whether they must be tied like a table. */
type Ctes = ReadonlyMap<string, Source['kind']>;

class Check {
  readonly #findings: string[] = [];
  readonly #tables: ReadonlySet<string>;
  readonly #isView: boolean;

  constructor(tables: ReadonlySet<string>, isView: boolean) {
    this.#tables = tables;
    this.#isView = isView;
  }

  run(text: string): string[] {
    if (![...this.#tables].some((table) => text.includes(table))) return [];
    for (const { stmt } of parseSync(text).stmts ?? []) this.#statement(toTree(stmt), new Map(), this.#isView);
    return this.#findings;
  }

  /** `returned`: the query is a view, or its rows are rows of a view. Then the reader of the view compares its event_id with an event. */
  #statement({ SelectStmt, InsertStmt, UpdateStmt, DeleteStmt, MergeStmt }: Tree, ctes: Ctes, returned: boolean): void {
    if (SelectStmt) this.#select(SelectStmt, ctes, returned);
    else if (InsertStmt) this.#insert(InsertStmt, ctes);
    else if (UpdateStmt) this.#update(UpdateStmt, ctes);
    else if (DeleteStmt) this.#delete(DeleteStmt, ctes);
    else if (this.#isKeyed(MergeStmt?.relation?.relname)) this.#report(`merge into ${MergeStmt?.relation?.relname}: use insert or update`);
  }

  #select(query: SelectStmt, outer: Ctes, returned: boolean): void {
    const { withClause, larg, rarg, ...level } = query;
    const ctes = this.#with(withClause, outer, returned);
    for (const branch of [larg, rarg]) if (branch) this.#select(branch, ctes, returned);
    this.#level(toTrees(query.fromClause), query.whereClause, ctes, returned, toTrees(query.targetList));
    this.#nested(level, ctes, returned);
  }

  #insert(statement: InsertStmt, outer: Ctes): void {
    const { relation, cols, onConflictClause: conflict, withClause, ...rest } = statement;
    const ctes = this.#with(withClause, outer, false);
    if (this.#isKeyed(relation?.relname)) {
      const into = `insert into ${relation?.relname}`;
      if (!namesEventId(cols)) this.#report(`${into}: the column list has no event_id`);
      const columns = toTrees(conflict?.infer?.indexElems).map(({ IndexElem }) => IndexElem?.name);
      if (conflict?.infer && !columns.includes('event_id')) this.#report(`${into}: the columns of on conflict have no event_id`);
      if (namesEventId(conflict?.targetList)) this.#report(`${into}: on conflict sets event_id`);
    }
    this.#nested({ ...rest, conflict }, ctes, false);
  }

  #update(statement: UpdateStmt, outer: Ctes): void {
    const { withClause, relation, fromClause, whereClause, targetList, ...rest } = statement;
    const ctes = this.#with(withClause, outer, false);
    if (this.#isKeyed(relation?.relname) && namesEventId(targetList)) this.#report(`update ${relation?.relname}: sets event_id`);
    this.#level([{ RangeVar: relation ?? {} }, ...toTrees(fromClause)], whereClause, ctes, false);
    this.#nested({ fromClause, whereClause, targetList, ...rest }, ctes, false);
  }

  #delete(statement: DeleteStmt, outer: Ctes): void {
    const { withClause, relation, usingClause, whereClause, ...rest } = statement;
    const ctes = this.#with(withClause, outer, false);
    this.#level([{ RangeVar: relation ?? {} }, ...toTrees(usingClause)], whereClause, ctes, false);
    this.#nested({ usingClause, whereClause, ...rest }, ctes, false);
  }

  /** Checks the CTEs in order, and returns those that the statement sees. */
  #with(clause: WithClause | undefined, outer: Ctes, returned: boolean): Ctes {
    const seen = new Map(outer);
    for (const { CommonTableExpr: cte } of toTrees(clause?.ctes)) {
      const query = toTree(cte?.ctequery);
      const kind = returned && outputNames(query.SelectStmt).includes('event_id') ? 'keyed' : 'anchor';
      if (clause?.recursive) seen.set(cte?.ctename ?? '', kind);
      const written = (query.InsertStmt ?? query.UpdateStmt ?? query.DeleteStmt)?.relation?.relname;
      if (this.#isKeyed(written)) this.#report(`${written} is written in a CTE: use a statement of its own`);
      this.#statement(query, seen, returned);
      seen.set(cte?.ctename ?? '', kind);
    }
    return seen;
  }

  #level(from: Tree[], where: Node | undefined, ctes: Ctes, returned: boolean, targets: readonly Tree[] = []): void {
    const level = new QueryLevel(from, where, (leaf) => this.#source(leaf, ctes, returned));
    if (returned) level.anchorOutputs(targets);
    for (const leaf of level.untied()) {
      const [table, alias] = [leaf.RangeVar?.relname ?? 'subquery', nameOf(leaf)];
      this.#report(`${table === alias ? table : `${table} ${alias}`}: its event_id is not tied to an event`);
    }
  }

  #source(leaf: Tree, ctes: Ctes, returned: boolean): Source {
    const { RangeVar, RangeSubselect } = leaf;
    const unkeyed = unkeyedSource(leaf);
    if (RangeVar) {
      const cte = RangeVar.schemaname === undefined ? ctes.get(RangeVar.relname ?? '') : undefined;
      return { ...unkeyed, kind: cte ?? this.#kindOf(RangeVar.relname) };
    }
    const isPartOfView = returned && !RangeSubselect?.lateral && unkeyed.columns.includes('event_id');
    return isPartOfView ? { ...unkeyed, kind: 'keyed' } : unkeyed;
  }

  /** `where item.id = $1` with a join of `event` names no event. So `event` is an anchor only if its id is compared with one. */
  #kindOf(table: string | undefined): Source['kind'] {
    if (this.#isKeyed(table)) return 'keyed';
    return table === 'event' ? 'linked' : 'anchor';
  }

  /** Checks the subqueries of a level. Of those only the ones in its FROM clause return rows of a view. */
  #nested(tree: object, ctes: Ctes, returned: boolean): void {
    const { RangeSubselect, SelectStmt } = tree as Tree;
    if (RangeSubselect) this.#statement(toTree(RangeSubselect.subquery), ctes, returned && !RangeSubselect.lateral);
    else if (SelectStmt) this.#select(SelectStmt, ctes, false);
    else for (const child of childrenOf(tree)) this.#nested(child, ctes, returned);
  }

  #isKeyed(table: string | undefined): boolean {
    return table !== undefined && this.#tables.has(table);
  }

  #report(finding: string): void {
    this.#findings.push(finding);
  }
}

const namesEventId = (columns: readonly Node[] | undefined): boolean =>
  toTrees(columns).some(({ ResTarget }) => ResTarget?.name === 'event_id');
