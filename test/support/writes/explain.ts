import type { Database, SqlQuery } from '../../../shared/platform/postgres/database.js';

export interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  /** Absent if the node uses no column of the index to find rows. */
  'Index Cond'?: string;
  'Subplans Removed'?: number;
  Plans?: PlanNode[];
}

/** A plan node with the measurements that the option `analyze` adds. */
export interface RunNode extends PlanNode {
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  /**
   * The pages that this node and the nodes below it found in the cache. Absent without the option
   * `buffers`.
   */
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
}

/**
 * Returns all nodes of a query's plan, the uppermost first, without running the query. The query is
 * prepared in the application's role, as the application prepares all its queries.
 * @param tenantId the tenant whose rows the query may see, or several ids joined by commas
 */
export function explainPlan(db: Database, tenantId: string, sqlQuery: SqlQuery): Promise<PlanNode[]> {
  return explain(db, { tenantId, sqlQuery, options: 'format json' });
}

/**
 * Like {@link explainPlan}, but returns the plan for any values, to which PostgreSQL changes after
 * some runs of a prepared query.
 */
export function explainGenericPlan(db: Database, tenantId: string, sqlQuery: SqlQuery): Promise<PlanNode[]> {
  return explain(db, { tenantId, sqlQuery, options: 'format json', isGeneric: true });
}

/** Like {@link explainPlan}, but runs the query and rolls its changes back. */
export function explainRun(db: Database, tenantId: string, sqlQuery: SqlQuery): Promise<RunNode[]> {
  return explain<RunNode>(db, { tenantId, sqlQuery, options: 'analyze, buffers, format json' });
}

async function explain<Node extends PlanNode>(
  db: Database,
  {
    tenantId,
    sqlQuery,
    options,
    isGeneric = false,
  }: { tenantId: string; sqlQuery: SqlQuery; options: string; isGeneric?: boolean },
): Promise<Node[]> {
  const values = (sqlQuery.values ?? []).map(literal);
  const list = values.length > 0 ? `(${values.join(', ')})` : '';
  return db.runAndRollBack([tenantId], async (tx) => {
    if (isGeneric) await tx.query({ text: 'set local plan_cache_mode = force_generic_plan' });
    await tx.query({ text: `prepare explained as ${sqlQuery.text}` });
    const [row] = await tx.query<{ 'QUERY PLAN': [{ Plan: Node }] }>({
      text: `explain (${options}) execute explained ${list}`,
    });
    await tx.query({ text: 'deallocate explained' });
    return flatten(row?.['QUERY PLAN'][0].Plan as Node);
  });
}

function literal(value: unknown): string {
  return value === null ? 'null' : `'${String(value).replaceAll("'", "''")}'`;
}

function flatten<Node extends PlanNode>(node: Node): Node[] {
  return [node, ...(node.Plans ?? []).flatMap((one) => flatten(one as Node))];
}
