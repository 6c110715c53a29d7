import type { BooksRecord } from './books-record.js';
import { Refusal } from './refusal.js';

const QUERY =
  /^select \* from (\w+)(?: where (.*?))?(?: orderby ([\w.]+))?(?: startposition (\d+))?(?: maxresults (\d+))?$/i;
const TEXT = String.raw`'(?:[^'\\]|\\.)*'`;
const CONDITION = new RegExp(
  String.raw`^([\w.]+) (=|>=|<|in) (${TEXT}|\(${TEXT}(?:, ?${TEXT})*\))(?: and |$)`,
  'i',
);

export interface ParsedQuery {
  entity: string;
  orderBy: string | undefined;
  start: number;
  max: number;
  /** The number that all results have; undefined if the query names none. */
  number: string | undefined;
  matches: (record: BooksRecord) => boolean;
}

/** Parses QuickBooks' query language, as far as the product uses it. */
export function parseQuery(text: string): ParsedQuery {
  const [, entity = '', where = '', orderBy, start, max] = QUERY.exec(text.trim().replace(/\s+/g, ' ')) ?? [];
  if (entity === '') throw new Refusal('4000', `Error parsing query: ${text}`);
  const conditions: ((record: BooksRecord) => boolean)[] = [];
  let number: string | undefined;
  for (let rest = where; rest !== ''; ) {
    const [whole, name = '', operator = '', value = ''] = CONDITION.exec(rest) ?? [];
    if (whole === undefined) throw new Refusal('4000', `Error parsing query near: ${rest}`);
    const values = [...value.matchAll(new RegExp(TEXT, 'g'))].map(([one]) =>
      one.slice(1, -1).replace(/\\(.)/g, '$1'),
    );
    if (name === 'DocNumber' && operator === '=') number = values[0];
    conditions.push((record) => compare(readMember(record, name), operator.toLowerCase(), values));
    rest = rest.slice(whole.length);
  }
  return {
    entity,
    orderBy,
    start: Number(start ?? 1),
    max: Math.min(Number(max ?? 100), 1000),
    number,
    matches: (record) => conditions.every((condition) => condition(record)),
  };
}

function compare(value: unknown, operator: string, values: readonly string[]): boolean {
  const text = String(value ?? '');
  if (operator === '>=') return Date.parse(text) >= Date.parse(values[0] ?? '');
  if (operator === '<') return Date.parse(text) < Date.parse(values[0] ?? '');
  return values.some((one) => one.toLowerCase() === text.toLowerCase());
}

/**
 * Reads a member of a record. Returns the id of a reference, and the address of an e-mail member.
 */
export function readMember(record: BooksRecord, name: string): unknown {
  let value: unknown = record;
  for (const part of name.split('.')) value = Object(value)[part];
  const { value: id, Address } = Object(value) as { value?: unknown; Address?: unknown };
  return id ?? Address ?? value;
}
