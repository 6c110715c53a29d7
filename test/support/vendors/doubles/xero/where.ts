import { Refusal } from './refusal.js';

const CONDITION = /^([\w.]+)==(?:guid\("([^"]*)"\)|"((?:[^"\\]|\\.)*)")(?:$| (AND|OR) )/;

export type XeroRecord = Record<string, unknown>;

function readMember(record: XeroRecord, path: string): unknown {
  return path.split('.').reduce<unknown>((value, part) => Object(value)[part], record);
}

/** Parses the filter `where`, as far as the product uses it. Texts are compared exactly. */
export function parseWhere(text: string): (record: XeroRecord) => boolean {
  const conditions: { path: string; value: string; joint: string | undefined }[] = [];
  for (let rest = text; rest !== ''; ) {
    const [whole, path = '', guid, quoted = '', joint] = CONDITION.exec(rest) ?? [];
    if (whole === undefined) throw new Refusal(`The where clause is not valid near: ${rest}`);
    conditions.push({ path, value: guid ?? quoted.replace(/\\(.)/g, '$1'), joint });
    rest = rest.slice(whole.length);
  }
  const isEvery = !conditions.some(({ joint }) => joint === 'OR');
  const holds = (record: XeroRecord) => (one: (typeof conditions)[number]) =>
    String(readMember(record, one.path) ?? '') === one.value;
  return (record) => (isEvery ? conditions.every(holds(record)) : conditions.some(holds(record)));
}
