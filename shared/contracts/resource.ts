import type Joi from 'joi';

export interface ResourceDefinition {
  /** For example `invoice`. */
  entityType: string;
  /** All schemas that the OpenAPI document contains for this resource's bodies and queries. */
  schemas: Record<string, Joi.Schema>;
}

/** A member of a JSON object: the name of a column, or another name with the SQL of its value. */
export type JsonMember = string | { name: string; sql: string };

/**
 * Builds SQL for a JSON object with its members in the given sequence. `row_to_json` over a
 * subselect writes no white space, and takes two thirds of the time of `json_build_object`
 * (measured, docs/adr/0005-representation-in-sql.md).
 */
export function jsonObject(alias: string, members: JsonMember[]): string {
  const columns = members.map((member) =>
    typeof member === 'string' ? `${alias}.${member}` : `${member.sql} as ${member.name}`,
  );
  return `(select row_to_json(o) from (select ${columns.join(', ')}) o)`;
}

/**
 * Like {@link jsonObject}, but omits null members, so that a list for agents costs fewer tokens.
 */
export function jsonObjectWithoutNulls(...parts: Parameters<typeof jsonObject>): string {
  return `json_strip_nulls(${jsonObject(...parts)})`;
}

/**
 * A list of audit entries or customers for agents shows whole records up to this page size, because
 * agents have no tool to read a single record. Longer pages show brief records: 50 whole audit
 * entries may be 100,000 tokens.
 */
export const MAX_WHOLE_ITEMS = 10;

export const MAX_SHORT_TEXT = 80;

/**
 * Builds SQL for a text in an agent's list, truncated to {@link MAX_SHORT_TEXT} characters.
 * @param sql SQL expression of the text; by default the column
 */
export function jsonShortText(
  alias: string,
  column: string,
  sql = `${alias}.${column}`,
): { name: string; sql: string } {
  const start = `left(${sql}, ${MAX_SHORT_TEXT - 1}) || '…'`;
  return { name: column, sql: `case when length(${sql}) > ${MAX_SHORT_TEXT} then ${start} else ${sql} end` };
}

/**
 * Builds SQL that formats a timestamptz as RFC 3339 in UTC with milliseconds and a Z.
 * @param sql SQL expression of the timestamptz; by default the column
 */
export function jsonTime(
  alias: string,
  column: string,
  sql = `${alias}.${column}`,
): { name: string; sql: string } {
  const format = `'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`;
  return { name: column, sql: `to_char(${sql} at time zone 'UTC', ${format})` };
}

/**
 * Builds SQL that looks up a list of words by a key, as a JSON array. One JSON constant contains
 * all lists. With a `case` branch per key, reading one invoice took twice as long (measured),
 * because PostgreSQL sets up every branch for every read.
 * @param key SQL expression of the key
 */
export function lookUpWords(table: Readonly<Record<string, readonly string[]>>, key: string): string {
  const texts = Object.entries(table).map(([name, words]) => [name, JSON.stringify(words)]);
  return `('${JSON.stringify(Object.fromEntries(texts))}'::jsonb ->> (${key}))::json`;
}

/** Caches the SQL per alias, because every query needs it and the code uses only a few aliases. */
export function memoizeByAlias(render: (alias: string) => string): (alias: string) => string {
  const texts = new Map<string, string>();
  return (alias) => {
    const text = texts.get(alias) ?? render(alias);
    texts.set(alias, text);
    return text;
  };
}
