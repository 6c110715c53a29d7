import { Refusal } from './refusal.js';

const CONDITION =
  /^([\w.]+)(==|>=|<)(?:guid\("([^"]*)"\)|DateTime\(([\d, ]+)\)|"((?:[^"\\]|\\.)*)")(?:$| (AND|OR) )/;

/** The day of a record's date, as the literal DateTime(2026, 1, 31) names it. */
const toMs = (literal: string): number => {
  const [year = 0, month = 1, day = 1] = literal.split(',').map(Number);
  return Date.UTC(year, month - 1, day);
};

export type XeroRecord = Record<string, unknown>;

function readMember(record: XeroRecord, path: string): unknown {
  return path.split('.').reduce<unknown>((value, part) => Object(value)[part], record);
}

/** Parses the filter `where`, as far as the product uses it. Texts are compared exactly. */
export function parseWhere(text: string): (record: XeroRecord) => boolean {
  const conditions: { path: string; operator: string; value: string | number; joint: string | undefined }[] =
    [];
  for (let rest = text; rest !== ''; ) {
    const [whole, path = '', operator = '==', guid, date, quoted = '', joint] = CONDITION.exec(rest) ?? [];
    if (whole === undefined) throw new Refusal(`The where clause is not valid near: ${rest}`);
    const value = date === undefined ? (guid ?? quoted.replace(/\\(.)/g, '$1')) : toMs(date);
    conditions.push({ path, operator, value, joint });
    rest = rest.slice(whole.length);
  }
  const isEvery = !conditions.some(({ joint }) => joint === 'OR');
  const holds = (record: XeroRecord) => (one: (typeof conditions)[number]) =>
    compare(readMember(record, one.path), one.operator, one.value);
  return (record) => (isEvery ? conditions.every(holds(record)) : conditions.some(holds(record)));
}

/** Compares texts exactly, and dates by their time. */
function compare(member: unknown, operator: string, value: string | number): boolean {
  if (typeof value === 'string') return operator === '==' && String(member ?? '') === value;
  const ms = Number(/-?\d+/.exec(String(member))?.[0] ?? Number.NaN);
  return operator === '<' ? ms < value : operator === '>=' ? ms >= value : ms === value;
}
