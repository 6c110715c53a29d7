import type Joi from 'joi';
import {
  compileRules,
  LENGTH_RULES,
  NUMBER_RULES,
  type RuleDescription,
  STRING_RULES,
} from './fast-path-rules.js';

/** Returned for a value that only Joi can judge. The value may be valid or invalid. */
export const UNDECIDED = Symbol('undecided');

/**
 * Checks a value and returns it as Joi would return it, or {@link UNDECIDED}.
 * @param ancestors the objects and lists around the value, the innermost first
 */
type Check = (value: unknown, ancestors: readonly unknown[]) => unknown;

/** The parts of Joi's description of a schema that this file reads. */
interface Description {
  type?: string;
  flags?: Record<string, unknown>;
  rules?: RuleDescription[];
  allow?: unknown[];
  keys?: Record<string, Description>;
  items?: Description[];
  preferences?: Record<string, unknown>;
}

/** The parts that do not affect which values are valid. */
const DOCUMENTATION = ['metas', 'examples', 'notes', 'tags'];
const READ_PARTS = ['type', 'flags', 'rules', 'allow', 'keys', 'items', 'preferences', ...DOCUMENTATION];
const READ_FLAGS = ['only', 'presence', 'default', 'description', 'label'];

/**
 * Compiles a schema to a function that recognizes plain valid input, several times faster than Joi.
 * The function returns {@link UNDECIDED} if the input is invalid or needs a conversion. It also
 * returns {@link UNDECIDED} if the schema has rules that this file does not know. Joi then decides,
 * so all error messages come from Joi. `test/unit/contracts/fast-path.test.ts` compares the
 * function with Joi for every documented body and query.
 */
export function compileFastPath(schema: Joi.Schema): (input: unknown) => unknown {
  const check = compile(schema.describe() as Description);
  return (input) => check(input, []);
}

const undecided: Check = () => UNDECIDED;

function compile(description: Description): Check {
  const { flags = {}, allow = [], preferences = {} } = description;
  const isRead =
    Object.keys(description).every((part) => READ_PARTS.includes(part)) &&
    Object.keys(flags).every((flag) => READ_FLAGS.includes(flag)) &&
    Object.keys(preferences).every((name) => name === 'convert') &&
    allow.every((value) => value === null || ['string', 'number', 'boolean'].includes(typeof value));
  const compileType = COMPILERS[description.type ?? ''];
  // Leave this schema to Joi, because preferences of an object or a list also apply to its members.
  const isForMembers = description.preferences && (description.keys || description.items);
  if (!isRead || isForMembers || !compileType) return undecided;
  const checkType = compileType(description);
  if (allow.length === 0) return checkType;
  const allowed = new Set(allow);
  if (flags.only === true) return (value) => (allowed.has(value) ? value : UNDECIDED);
  return (value, ancestors) => (allowed.has(value) ? value : checkType(value, ancestors));
}

const COMPILERS: Record<string, (description: Description) => Check> = {
  object: compileObject,
  array: compileArray,
  string: compileString,
  number: compileNumber,
  boolean: (description) =>
    description.rules ? undecided : (value) => (typeof value === 'boolean' ? value : UNDECIDED),
};

interface Member {
  name: string;
  check: Check;
  isRequired: boolean;
  /** The value of an absent member; undefined if the member then stays absent. */
  defaultValue: unknown;
}

function compileObject({ keys, rules }: Description): Check {
  const members = Object.entries(keys ?? {}).map(([name, child]) => compileMember(name, child));
  if (!keys || rules || members.includes(undefined)) return undecided;
  const names = new Set(Object.keys(keys));
  return (value, ancestors) => {
    if (!isPlainObject(value)) return UNDECIDED;
    // Like Joi, keep the sequence of the members.
    const output: Record<string, unknown> = {};
    for (const name of Object.keys(value)) {
      if (!names.has(name)) return UNDECIDED;
      output[name] = value[name];
    }
    const inner = [output, ...ancestors];
    for (const { name, check, isRequired, defaultValue } of members as Member[]) {
      if (!Object.hasOwn(output, name)) {
        if (isRequired) return UNDECIDED;
        if (defaultValue !== undefined) output[name] = defaultValue;
        continue;
      }
      const checked = check(output[name], inner);
      if (checked === UNDECIDED) return UNDECIDED;
      output[name] = checked;
    }
    return output;
  };
}

/** Returns undefined if only Joi can decide what to do when the member is absent. */
function compileMember(name: string, description: Description): Member | undefined {
  const { presence = 'optional', default: defaultValue } = description.flags ?? {};
  if (presence !== 'optional' && presence !== 'required') return undefined;
  // Leave these defaults to Joi, because Joi may have to compute them.
  if (typeof defaultValue === 'object' || typeof defaultValue === 'function') return undefined;
  return { name, check: compile(description), isRequired: presence === 'required', defaultValue };
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function compileArray({ items = [], rules = [] }: Description): Check {
  const [item] = items;
  if (items.length > 1) return undecided;
  const checkItem = item ? compile(item) : undecided;
  if (item?.flags?.presence || item?.flags?.default !== undefined) return undecided;
  const checkRules = compileRules(rules, LENGTH_RULES);
  if (!checkRules) return undecided;
  return (value, ancestors) => {
    if (!Array.isArray(value) || !checkRules(value, ancestors)) return UNDECIDED;
    const inner = [value, ...ancestors];
    const output: unknown[] = [];
    for (const one of value) {
      const checked = checkItem(one, inner);
      if (checked === UNDECIDED) return UNDECIDED;
      output.push(checked);
    }
    return output;
  };
}

function compileString({ rules = [] }: Description): Check {
  const checkRules = compileRules(rules, STRING_RULES);
  if (!checkRules) return undecided;
  return (value, ancestors) =>
    typeof value === 'string' && value !== '' && checkRules(value, ancestors) ? value : UNDECIDED;
}

/** An integer in the text of a query. Joi decides about all other texts. */
const PLAIN_INTEGER = /^[1-9]\d{0,8}$/;

function compileNumber({ rules = [], preferences }: Description): Check {
  const checkRules = compileRules(rules, NUMBER_RULES);
  if (!checkRules) return undecided;
  const convertsText = preferences?.convert !== false;
  return (value, ancestors) => {
    const number =
      convertsText && typeof value === 'string' && PLAIN_INTEGER.test(value) ? Number(value) : value;
    // Joi replaces -0, and refuses unsafe numbers.
    const isPlain = typeof number === 'number' && Math.abs(number) <= Number.MAX_SAFE_INTEGER;
    return isPlain && !Object.is(number, -0) && checkRules(number, ancestors) ? number : UNDECIDED;
  };
}
