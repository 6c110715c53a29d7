import { createHash } from 'node:crypto';
import { type JsonMember, jsonObject, memoizeByAlias } from '../../contracts/resource.js';

/**
 * How a resource's JSON text is stored beside its row, so that reads need not render it
 * (docs/adr/0022-stored-json.md). A trigger stores the text in `stored_json` with each insert and
 * update, and its version in `stored_json_version`.
 */
export interface StoredJson {
  /**
   * Identifies the SQL that rendered a text. A text with another version is never read, because an
   * older or newer release stored it and may have rendered other members.
   */
  version: number;
  /**
   * Returns the SQL expression with which the trigger renders the text to store. `alias` is the
   * name of the row in the query, for example `new`.
   */
  render: (alias: string) => string;
  /**
   * Returns the SQL of the record's whole JSON text, read from the stored text. It is null if the
   * row has no text of this version.
   */
  read: (alias: string) => string;
}

/** The members of a record's JSON object, as functions of the row's alias. */
export interface RecordMembers {
  storedMembers: (alias: string) => JsonMember[];
  /** The members that the stored text omits. In the JSON object, they come last. */
  computedMembers: (alias: string) => JsonMember[];
}

export function defineStoredJson({ storedMembers, computedMembers }: RecordMembers): StoredJson {
  const isWhole = computedMembers('t').length === 0;
  // Omit the last brace of the text, so that PostgreSQL can append the other members in one step.
  const render = (alias: string) => {
    const text = `${jsonObject(alias, storedMembers(alias))}::text`;
    return isWhole ? text : `left(${text}, -1)`;
  };
  const version = hashToInteger(render('t'));
  return {
    version,
    render,
    read: memoizeByAlias((alias) => {
      const rest = computedMembers(alias).flatMap((member) => formatMember(alias, member));
      const text = isWhole
        ? `${alias}.stored_json`
        : `concat(${[`${alias}.stored_json`, ...rest, "'}'"].join(', ')})`;
      return `case when ${alias}.stored_json_version = ${version} then ${text} end`;
    }),
  };
}

/**
 * Returns the SQL of a record's JSON text with further members at its end, for lists that show them
 * only on request.
 * @param text the SQL of the text
 */
export function appendMembers(text: string, alias: string, members: readonly JsonMember[]): string {
  const parts = members.flatMap((member) => formatMember(alias, member));
  return `concat(${[`left(${text}, -1)`, ...parts, "'}'"].join(', ')})`;
}

/** Returns the SQL of the parts of a member: its name after a comma, and its JSON. */
function formatMember(alias: string, member: JsonMember): [name: string, value: string] {
  const { name, sql } = typeof member === 'string' ? { name: member, sql: `${alias}.${member}` } : member;
  return [`',"${name}":'`, `coalesce(to_json(${sql})::text, 'null')`];
}

/** Returns a positive number that fits into PostgreSQL's type integer. */
function hashToInteger(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE() >>> 1;
}

/**
 * Returns the SQL of a record's JSON text: the stored text if there is one, and otherwise the
 * rendered representation.
 */
export function jsonText(
  { representation, stored }: { representation: (alias: string) => string; stored?: StoredJson },
  alias: string,
): string {
  const rendered = `(${representation(alias)})::text`;
  return stored ? `coalesce(${stored.read(alias)}, ${rendered})` : rendered;
}
