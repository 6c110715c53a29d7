/**
 * Finds the tables that a query reads without naming the tenant, in the plan that PostgreSQL made
 * for the query.
 */

export interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  Alias?: string;
  Output?: string[];
  'Subplan Name'?: string;
  Plans?: PlanNode[];
  [member: string]: unknown;
}

/** The members of a plan node that restrict or join rows. */
const CONDITIONS = ['Filter', 'Index Cond', 'Recheck Cond', 'Hash Cond', 'Merge Cond', 'Join Filter'];

const COLUMN = String.raw`(\w+)\.(\w+)`;

/**
 * Returns the tables whose rows the plan reads although nothing restricts their tenant. A table
 * names the tenant if its `tenant_id` equals a value, a column of a set of rows that is no table,
 * or the `tenant_id` of a table that names the tenant. A condition inside of an OR or a NOT
 * restricts nothing.
 * @param tableNames maps the name of each table, and of each partition, to the table
 */
export function findTablesWithoutTenant(plan: PlanNode, tableNames: ReadonlyMap<string, string>): string[] {
  const nodes = flatten(plan);
  const scans = new Map<string, string>();
  for (const node of nodes) {
    const table = tableNames.get(node['Relation Name'] ?? '');
    if (table && node['Node Type'] !== 'ModifyTable') scans.set(node.Alias as string, table);
  }
  const named = new Set<string>();
  const joins: [string, string][] = [];
  const parents = findPartitionParents(nodes);
  for (const pair of parents) joins.push(pair, [pair[1], pair[0]]);
  const isTable = (alias: string) => scans.has(alias) || [...parents.values()].includes(alias);
  for (const [alias, value] of [...listRestrictions(nodes), ...listSubplanJoins(nodes)]) {
    const [, other, column] = value.match(new RegExp(`^${COLUMN}$`)) ?? [];
    if (other === undefined || !isTable(other)) named.add(alias);
    else if (column === 'tenant_id' && !isTable(alias)) named.add(other);
    else if (column === 'tenant_id') joins.push([alias, other], [other, alias]);
  }
  for (let size = -1; size !== named.size; ) {
    size = named.size;
    for (const [from, to] of joins) if (named.has(from)) named.add(to);
  }
  return [...new Set([...scans].filter(([alias]) => !named.has(alias)).map(([, table]) => table))];
}

function flatten(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(flatten)];
}

/** Lists the aliases whose `tenant_id` must equal a value, each with the value. */
function listRestrictions(nodes: readonly PlanNode[]): [alias: string, value: string][] {
  // A Bitmap Index Scan may be one side of an OR. The Bitmap Heap Scan has the whole condition.
  const restricting = nodes.filter((node) => node['Node Type'] !== 'Bitmap Index Scan');
  const conditions = restricting.flatMap((node) =>
    CONDITIONS.map((member) => node[member]).filter((one) => typeof one === 'string'),
  );
  return conditions.flatMap(splitConjunction).flatMap((part) => {
    const [, left, value] = part.match(/^(\w+)\.tenant_id = (.+)$/s) ?? [];
    const [, otherValue, right] = part.match(/^(.+) = (\w+)\.tenant_id$/s) ?? [];
    return [
      ...(left && value ? [[left, value] as [string, string]] : []),
      ...(right && otherValue ? [[right, otherValue] as [string, string]] : []),
    ];
  });
}

/**
 * Lists the joins with the rows of a subquery that PostgreSQL reads once into a hash table. The
 * query names the tenant of the subquery's table by the join, even inside of an OR.
 */
function listSubplanJoins(nodes: readonly PlanNode[]): [alias: string, value: string][] {
  const texts = nodes.flatMap((node) => Object.values(node).flat()).filter((one) => typeof one === 'string');
  const joins = texts.flatMap((text) => [
    ...text.matchAll(/(\w+)\.tenant_id = \(hashed (SubPlan \d+)\)\.col(\d+)/g),
  ]);
  return joins.flatMap(([, alias, subplan, column]) => {
    const root = nodes.find((node) => node['Subplan Name'] === subplan);
    // The node that reads several partitions has no columns of its own.
    const output = (root?.Output ?? root?.Plans?.[0]?.Output)?.[Number(column) - 1];
    return output ? [[alias as string, output] as [string, string]] : [];
  });
}

/**
 * Maps the alias of each partition to the alias of its table. PostgreSQL numbers both in sequence:
 * the partitions of `d_8` are `d_9`, `d_10`, and so on.
 */
function findPartitionParents(nodes: readonly PlanNode[]): Map<string, string> {
  const parents = new Map<string, string>();
  for (const { Plans = [], ...node } of nodes) {
    if (!/Append$/.test(node['Node Type'])) continue;
    const aliases = Plans.flatMap(({ Alias }) => (Alias ? [Alias] : []));
    const [, base, first] = aliases[0]?.match(/^(.+)_(\d+)$/) ?? [];
    const parent = first === '1' ? base : `${base}_${Number(first) - 1}`;
    if (parent) for (const alias of aliases) parents.set(alias, parent);
  }
  return parents;
}

/** Splits a condition at its outermost ANDs, and removes the parentheses around each part. */
function splitConjunction(condition: string): string[] {
  const text = removeParentheses(condition);
  const depths = measureDepths(text);
  const ends = [...text.matchAll(/ AND /g)].map(({ index }) => index).filter((index) => depths[index] === 0);
  if (ends.length === 0) return [text];
  const starts = [0, ...ends.map((index) => index + ' AND '.length)];
  return starts.flatMap((start, index) => splitConjunction(text.slice(start, ends[index])));
}

function removeParentheses(text: string): string {
  const isEnclosed = text.startsWith('(') && measureDepths(text).indexOf(0) === text.length - 1;
  return isEnclosed ? removeParentheses(text.slice(1, -1)) : text;
}

/** Returns how many parentheses are open after each character, or -1 inside of a literal. */
function measureDepths(text: string): number[] {
  let depth = 0;
  let isLiteral = false;
  return text.split('').map((character) => {
    if (character === "'") isLiteral = !isLiteral;
    else if (!isLiteral && character === '(') depth += 1;
    else if (!isLiteral && character === ')') depth -= 1;
    return isLiteral ? -1 : depth;
  });
}
