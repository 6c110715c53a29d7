import type Joi from 'joi';

/** A resource and the schemas it publishes. */
export interface ResourceDefinition {
  /** `invoice` */
  entityType: string;
  /** Everything that OpenAPI says about this resource's bodies and queries. */
  schemas: Record<string, Joi.Schema>;
}

/** `json_build_object` over columns and expressions, in this order. A text value is a column name, an object holds SQL. */
export function jsonObject(alias: string, members: (string | { name: string; sql: string })[]): string {
  const pairs = members.map((member) =>
    typeof member === 'string' ? `'${member}', ${alias}.${member}` : `'${member.name}', ${member.sql}`,
  );
  return `json_build_object(${pairs.join(', ')})`;
}

/**
 * A timestamptz as RFC 3339 in UTC with milliseconds and a Z. Cheaper than to_char (measured in docs/adr/0005): a timestamp's own text needs a T
 * and a Z only.
 */
export function jsonTime(alias: string, column: string): { name: string; sql: string } {
  return { name: column, sql: timeText(`${alias}.${column}`) };
}

/** The text form of {@link jsonTime}. */
export function timeText(expression: string): string {
  return `to_char(${expression} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}
