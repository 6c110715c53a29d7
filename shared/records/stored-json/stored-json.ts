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

/** SQL of an item of a list, over the row with the alias `t`. */
export interface ItemText {
  /** The item's JSON text. */
  representation: string;
  /** The item's stored JSON text. It is null if the row has none. */
  storedItem?: string | undefined;
}

/** Returns the SQL of the items of a list that shows whole records. */
export function itemText({ representation, stored }: Representation): ItemText {
  const rendered = `(${representation('t')})::text`;
  if (!stored) return { representation: rendered };
  const storedItem = stored.read('t');
  return { representation: `coalesce(${storedItem}, ${rendered})`, storedItem };
}

/**
 * Adds members at the end of the items of a list, which the list shows only on request.
 * @param members over the row with the alias `t`
 */
export function appendMembers(item: ItemText, members: readonly JsonMember[]): ItemText {
  if (members.length === 0) return item;
  const parts = members.flatMap((member) => formatMember('t', member));
  // Unlike concat, the operator returns null for a text that is null.
  const append = (text: string) => `left(${text}, -1) || concat(${[...parts, "'}'"].join(', ')})`;
  const { representation, storedItem } = item;
  return {
    representation: append(representation),
    storedItem: storedItem === undefined ? undefined : append(storedItem),
  };
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

interface Representation {
  representation: (alias: string) => string;
  stored?: StoredJson;
}

/**
 * Returns the SQL of a record's JSON text: the stored text if there is one, and otherwise the
 * rendered representation. A function of the database renders it, so that PostgreSQL prepares the
 * representation only for a record without a stored text.
 */
export function jsonText(resource: Representation & { table: string }, alias: string): string {
  const { representation, stored } = resource;
  if (!stored) return `(${representation(alias)})::text`;
  const render = `${nameRenderFunction(resource)}(${alias}.tenant_id, ${alias}.id)`;
  return `coalesce(${stored.read(alias)}, ${render})`;
}

/**
 * Returns the name of the function that renders a record of a table. It contains a hash of the
 * representation, because processes of two releases may run side by side.
 */
export function nameRenderFunction({ table, representation }: Representation & { table: string }): string {
  const name = renderFunctionNames.get(representation);
  if (name !== undefined) return name;
  const hash = hashToInteger(representation('t'));
  renderFunctionNames.set(representation, `${RENDER_FUNCTION_PREFIX}${table}_${hash}`);
  return nameRenderFunction({ table, representation });
}

const renderFunctionNames = new Map<Representation['representation'], string>();

export const RENDER_FUNCTION_PREFIX = 'render_json_of_';
