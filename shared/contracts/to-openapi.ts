import type Joi from 'joi';
import { UNPUBLISHED_PATTERNS } from './fields.js';

/** An OpenAPI 3.0.3 schema object, or a reference to a component. */
export type OpenApiSchema = Record<string, unknown>;

interface Description {
  type?: string;
  flags?: { presence?: string; default?: unknown; description?: string; only?: boolean; unknown?: boolean };
  rules?: { name: string; args?: Record<string, unknown> }[];
  metas?: Record<string, unknown>[];
  allow?: unknown[];
  examples?: unknown[];
  keys?: Record<string, Description>;
  items?: Description[];
  patterns?: { rule: Description }[];
}

/**
 * Writes a Joi schema as an OpenAPI 3.0.3 schema. The published schema may be laxer than Joi, never stricter: what JSON Schema cannot say
 * (custom checks) is left out, and anything this vocabulary does not know throws, so that nothing is lost unseen.
 * A nested schema with `meta({className})` becomes a `$ref`.
 */
export function toOpenApi(schema: Joi.Schema): OpenApiSchema {
  return convert(schema.describe() as Description);
}

/**
 * The schema as one whole, without references to components.
 * @param words whether each word of a named set is explained; agents pay for every word of a schema
 */
export function toInlineOpenApi(schema: Joi.Schema, words: 'explained' | 'bare' = 'bare'): OpenApiSchema {
  return convert(withoutNames(schema.describe() as Description, words === 'explained'));
}

function withoutNames(description: Description, isExplained: boolean): Description {
  const { metas, keys, items, ...rest } = description;
  const within = (one: Description) => withoutNames(one, isExplained);
  return {
    ...rest,
    ...(metas ? { metas: metas.flatMap((meta) => withoutName(meta, isExplained)) } : {}),
    ...(keys
      ? { keys: Object.fromEntries(Object.entries(keys).map(([key, value]) => [key, within(value)])) }
      : {}),
    ...(items ? { items: items.map(within) } : {}),
  };
}

function withoutName(meta: Record<string, unknown>, isExplained: boolean): Record<string, unknown>[] {
  if (!('className' in meta)) return [meta];
  return isExplained && meta.meanings ? [{ meanings: meta.meanings }] : [];
}

/** The component name of a schema, from `meta({className})`. */
export function classNameOf(schema: Joi.Schema): string | undefined {
  return classNameIn(schema.describe() as Description);
}

/** The query parameters of a list, one per key of its schema. */
export function toParameters(schema: Joi.ObjectSchema): OpenApiSchema[] {
  const { keys = {} } = schema.describe() as Description;
  return Object.entries(keys).map(([name, key]) => {
    const { description, example, ...rest } = convert(key);
    const own = meaningsIn(key) ? key.flags?.description : description;
    return {
      name,
      in: 'query',
      required: key.flags?.presence === 'required',
      ...(own ? { description: own } : {}),
      schema: meaningsIn(key) ? { $ref: `#/components/schemas/${classNameIn(key)}` } : rest,
      ...(example === undefined ? {} : { example }),
    };
  });
}

function classNameIn(description: Description): string | undefined {
  // A schema made of a named one has both names; its own is the last.
  const found = description.metas?.findLast((meta) => typeof meta.className === 'string');
  return found?.className as string | undefined;
}

function convertNested(description: Description): OpenApiSchema {
  const name = classNameIn(description);
  if (!name) return convert(description);
  // In 3.0.3 nothing may stand beside $ref, and nullable counts only beside a type: a nullable member is written out.
  if (description.allow?.includes(null)) return convert(description);
  const reference = { $ref: `#/components/schemas/${name}` };
  if (!meaningsIn(description)) return reference;
  // A word of a named set may say more where it stands, and have a default there.
  const { flags = {} } = description;
  const own = {
    ...(flags.default === undefined ? {} : { default: flags.default }),
    ...(flags.description ? { description: flags.description } : {}),
  };
  return Object.keys(own).length > 0 ? { allOf: [reference], ...own } : reference;
}

/** What the words of a named set mean (named-enum.ts). */
function meaningsIn({ metas = [] }: Description): Record<string, string> | undefined {
  return metas.find((meta) => meta.meanings)?.meanings as Record<string, string> | undefined;
}

/** The description of a schema, and below it a list of what each word means. */
function describeWords(description: Description): string | undefined {
  const meanings = meaningsIn(description);
  const list = meanings && Object.entries(meanings).map(([word, meaning]) => `- \`${word}\`: ${meaning}`);
  const parts = [description.flags?.description, list?.join('\n')].filter((part) => part !== undefined);
  return parts.length > 0 ? parts.join('\n\n') : undefined;
}

const KINDS: Record<string, (description: Description) => OpenApiSchema> = {
  string: (description) => ({ type: 'string', ...applyRules(description, STRING_RULES) }),
  number: convertNumber,
  boolean: () => ({ type: 'boolean' }),
  array: (description) => ({
    type: 'array',
    items: convertNested(single(description.items)),
    ...applyRules(description, ARRAY_RULES),
  }),
  object: convertObject,
  any: () => ({}),
};

function convert(description: Description): OpenApiSchema {
  const kind = KINDS[description.type ?? ''];
  if (!kind) throw new Error(`no OpenAPI form for a Joi schema of type ${description.type}`);
  return { ...kind(description), ...annotations(description) };
}

function annotations(description: Description): OpenApiSchema {
  const { flags, allow = [], examples, metas = [] } = description;
  const words = describeWords(description);
  const values = allow.filter((value) => value !== null && value !== '');
  const nullable = allow.includes(null);
  const format = metas.find((meta) => meta.format)?.format;
  return {
    ...(format ? { format } : {}),
    // A nullable enum must list null in 3.0.3, or null is not among its values.
    ...(flags?.only && values.length > 0 ? { enum: nullable ? [...values, null] : values } : {}),
    ...(nullable ? { nullable: true } : {}),
    ...(flags?.default === undefined ? {} : { default: flags.default }),
    ...(words ? { description: words } : {}),
    ...(examples?.[0] === undefined ? {} : { example: examples[0] }),
  };
}

function convertObject(description: Description): OpenApiSchema {
  const { keys = {}, flags, patterns = [] } = description;
  const required = Object.keys(keys).filter((key) => keys[key]?.flags?.presence === 'required');
  const properties = Object.entries(keys).map(([key, value]) => [key, convertNested(value)]);
  return {
    type: 'object',
    ...(required.length > 0 ? { required } : {}),
    ...(properties.length > 0 ? { properties: Object.fromEntries(properties) } : {}),
    ...(properties.length === 0 || flags?.unknown ? { additionalProperties: true } : {}),
    ...(patterns.length > 0 ? { additionalProperties: convertNested(ofAnyName(patterns)) } : {}),
    ...applyRules(description, OBJECT_RULES),
  };
}

/** What members of names that nobody knows are. Which names are refused, 3.0.3 cannot say. */
function ofAnyName(patterns: { rule: Description }[]): Description {
  return single(patterns.map(({ rule }) => rule).filter(({ flags }) => flags?.presence !== 'forbidden'));
}

function convertNumber(description: Description): OpenApiSchema {
  const isInteger = description.rules?.some((rule) => rule.name === 'integer') ?? false;
  return { type: isInteger ? 'integer' : 'number', ...applyRules(description, NUMBER_RULES) };
}

type Rule = (args: Record<string, unknown>) => OpenApiSchema;

const NOTHING: Rule = () => ({});

const STRING_RULES: Record<string, Rule> = {
  trim: NOTHING,
  case: NOTHING,
  custom: NOTHING,
  min: ({ limit }) => ({ minLength: limit }),
  max: ({ limit }) => ({ maxLength: limit }),
  length: ({ limit }) => ({ minLength: limit, maxLength: limit }),
  guid: () => ({ format: 'uuid' }),
  email: () => ({ format: 'email' }),
  uri: () => ({ format: 'uri' }),
  pattern: ({ regex, name, options }) => {
    if (UNPUBLISHED_PATTERNS.includes(String(name ?? ''))) return {};
    const [, source, flags] = /^\/(.*)\/([a-z]*)$/s.exec(String(regex)) ?? [];
    // Left out, a flag or an inversion would publish something stricter than what is checked.
    if (source === undefined || flags || (options as { invert?: boolean } | undefined)?.invert) {
      throw new Error(`no OpenAPI form for the pattern ${regex}`);
    }
    return { pattern: source };
  },
};

const NUMBER_RULES: Record<string, Rule> = {
  integer: NOTHING,
  custom: NOTHING,
  min: ({ limit }) => ({ minimum: limit }),
  max: ({ limit }) => ({ maximum: limit }),
  greater: ({ limit }) => ({ minimum: limit, exclusiveMinimum: true }),
};

const ARRAY_RULES: Record<string, Rule> = {
  custom: NOTHING,
  min: ({ limit }) => ({ minItems: limit }),
  max: ({ limit }) => ({ maxItems: limit }),
  unique: () => ({ uniqueItems: true }),
};

const OBJECT_RULES: Record<string, Rule> = {
  custom: NOTHING,
  max: ({ limit }) => ({ maxProperties: limit }),
};

function applyRules({ rules = [], type }: Description, known: Record<string, Rule>): OpenApiSchema {
  return rules.reduce<OpenApiSchema>((out, { name, args = {} }) => {
    const rule = known[name];
    if (!rule) throw new Error(`no OpenAPI form for the rule ${name} of a Joi ${type}`);
    const nameOption = (args.options as { name?: string } | undefined)?.name;
    return Object.assign(out, rule(nameOption ? { ...args, name: nameOption } : args));
  }, {});
}

function single(items: Description[] | undefined): Description {
  if (items?.length !== 1 || !items[0]) throw new Error('exactly one kind of item can be written');
  return items[0];
}
