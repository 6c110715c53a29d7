/** A rule of a schema, as Joi describes it. */
export interface RuleDescription {
  name: string;
  args?: Record<string, unknown>;
}

/** Returns true only if the value is valid and Joi would not change it. */
type RuleCheck<Value> = (value: Value, ancestors: readonly unknown[]) => boolean;
/** Compiles the arguments of a rule. Undefined if the arguments are not supported. */
type RuleCompiler<Value> = (args: Record<string, unknown>) => RuleCheck<Value> | undefined;

/** Returns undefined if one of the rules is not in the table, or has unsupported arguments. */
export function compileRules<Value>(
  rules: RuleDescription[],
  table: Record<string, RuleCompiler<Value>>,
): RuleCheck<Value> | undefined {
  const checks = rules.map(({ name, args = {} }) =>
    name === 'custom' ? compileCustom(args) : table[name]?.(args),
  );
  if (checks.includes(undefined)) return undefined;
  const known = checks as RuleCheck<Value>[];
  return (value, ancestors) => {
    for (const check of known) if (!check(value, ancestors)) return false;
    return true;
  };
}

const REFUSED = Symbol('refused');

/**
 * Calls the function of a `custom` rule. Leaves the value to Joi if the function fails, changes the
 * value, or uses a helper of Joi other than the ancestors.
 */
function compileCustom({ method }: Record<string, unknown>): RuleCheck<unknown> | undefined {
  if (typeof method !== 'function') return undefined;
  const refuse = () => REFUSED;
  return (value, ancestors) => {
    try {
      return (
        method(value, { state: { ancestors }, original: value, error: refuse, message: refuse }) === value
      );
    } catch {
      return false;
    }
  };
}

type Limited = (value: number, limit: number) => boolean;

/** Compiles a rule that compares `measure(value)` with a limit. */
function limitRule<Value>(measure: (value: Value) => number, holds: Limited): RuleCompiler<Value> {
  return ({ limit, ...others }) => {
    if (typeof limit !== 'number' || Object.values(others).some((other) => other !== undefined))
      return undefined;
    return (value) => holds(measure(value), limit);
  };
}

const atLeast: Limited = (value, limit) => value >= limit;
const atMost: Limited = (value, limit) => value <= limit;
const lengthOf = ({ length }: { length: number }) => length;
const itself = (value: number) => value;

export const LENGTH_RULES: Record<string, RuleCompiler<{ length: number }>> = {
  min: limitRule(lengthOf, atLeast),
  max: limitRule(lengthOf, atMost),
};

export const NUMBER_RULES: Record<string, RuleCompiler<number>> = {
  min: limitRule(itself, atLeast),
  max: limitRule(itself, atMost),
  greater: limitRule(itself, (value, limit) => value > limit),
  integer: () => Number.isInteger,
};

const LOWER_CASE_UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const MAX_PLAIN_EMAIL = 64;
/** Matches only some of the addresses that Joi accepts. */
const PLAIN_EMAIL =
  /^[a-z0-9]{1,64}(?:[._+-][a-z0-9]{1,32}){0,4}@(?:[a-z0-9]{1,63}(?:-[a-z0-9]{1,32}){0,4}\.){1,4}[a-z]{2,24}$/;

export const STRING_RULES: Record<string, RuleCompiler<string>> = {
  ...LENGTH_RULES,
  trim: () => (value) => value === value.trim(),
  case: ({ direction }) =>
    direction === 'lower'
      ? (value) => value === value.toLowerCase()
      : (value) => value === value.toUpperCase(),
  guid: ({ options }) =>
    hasOnly(options, { separator: '-', wrapper: false }) ? (value) => LOWER_CASE_UUID.test(value) : undefined,
  email: ({ options }) =>
    hasOnly(options, { tlds: { allow: false }, allowUnicode: false })
      ? (value) => value.length <= MAX_PLAIN_EMAIL && PLAIN_EMAIL.test(value)
      : undefined,
  pattern: ({ regex, options }) => {
    const { invert } = (options ?? {}) as { invert?: boolean };
    const pattern = invert ? undefined : parsePattern(regex);
    return pattern && ((value) => pattern.test(value));
  },
};

/** True if a rule has exactly the options that this file supports. */
function hasOnly(options: unknown, supported: object): boolean {
  return JSON.stringify(options) === JSON.stringify(supported);
}

/** Reads a pattern as Joi describes it: `/^[a-z]+$/u`. */
function parsePattern(described: unknown): RegExp | undefined {
  const [, source, flags = ''] = /^\/(.*)\/([a-z]*)$/s.exec(String(described)) ?? [];
  // With the flags `g` and `y`, `test` would depend on earlier calls.
  return source === undefined || /[gy]/.test(flags) ? undefined : new RegExp(source, flags);
}
