import type Joi from 'joi';
import { UNPUBLISHED_PATTERNS } from './fields.js';

/** A schema object of OpenAPI 3.0.3, or a reference to a component. */
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
 * Converts a Joi schema to an OpenAPI 3.0.3 schema. The published schema may be laxer than Joi's,
 * never stricter: it omits custom checks, which JSON Schema cannot express. A nested schema with
 * `meta({className})` becomes a `$ref`.
 * @throws {Error} for a Joi type or rule that this file does not list
 */
export function toOpenApi(schema: Joi.Schema): OpenApiSchema {
  return convert(schema.describe() as Description);
}

/**
 * Converts a Joi schema to an OpenAPI schema without references.
 * @param words `explained` adds the meaning of each word in a named enum; `bare` omits the
 * meanings, because agents pay tokens for every explanation
 */
export function toInlineOpenApi(schema: Joi.Schema, words: 'explained' | 'bare' = 'bare'): OpenApiSchema {
  return convert(removeNames(schema.describe() as Description, words === 'explained'));
}

function removeNames(description: Description, isExplained: boolean): Description {
  const { metas, keys, items, ...rest } = description;
  const removeIn = (nested: Description) => removeNames(nested, isExplained);
  return {
    ...rest,
    ...(metas ? { metas: metas.flatMap((meta) => removeName(meta, isExplained)) } : {}),
    ...(keys
      ? { keys: Object.fromEntries(Object.entries(keys).map(([key, value]) => [key, removeIn(value)])) }
      : {}),
    ...(items ? { items: items.map(removeIn) } : {}),
  };
}

function removeName(meta: Record<string, unknown>, isExplained: boolean): Record<string, unknown>[] {
  // The description already contains the published values.
  if ('published' in meta) return [];
  if (!('className' in meta)) return [meta];
  return isExplained && meta.meanings ? [{ meanings: meta.meanings }] : [];
}

export function getClassName(schema: Joi.Schema): string | undefined {
  return findClassName(schema.describe() as Description);
}

export function toQueryParameters(schema: Joi.ObjectSchema): OpenApiSchema[] {
  const { keys = {} } = schema.describe() as Description;
  return Object.entries(keys).map(([name, key]) => {
    const { description, example, ...rest } = convert(key);
    const own = findMeanings(key) ? key.flags?.description : description;
    return {
      name,
      in: 'query',
      required: key.flags?.presence === 'required',
      ...(own ? { description: own } : {}),
      schema: findMeanings(key) ? { $ref: `#/components/schemas/${findClassName(key)}` } : rest,
      ...(example === undefined ? {} : { example }),
    };
  });
}

function findClassName(description: Description): string | undefined {
  // A schema that was derived from a named schema also has the name of that schema. Its own name is
  // the last.
  const found = description.metas?.findLast((meta) => typeof meta.className === 'string');
  return found?.className as string | undefined;
}

function convertNested(description: Description): OpenApiSchema {
  const name = findClassName(description);
  if (!name) return convert(description);
  // OpenAPI 3.0.3 ignores members beside $ref, such as `nullable`. A nullable member is therefore
  // written in full.
  if (description.allow?.includes(null)) return convert(description);
  const reference = { $ref: `#/components/schemas/${name}` };
  if (!findMeanings(description)) return reference;
  // A field that uses a named enum may add its own description and default.
  const { flags = {} } = description;
  const own = {
    ...(flags.default === undefined ? {} : { default: flags.default }),
    ...(flags.description ? { description: flags.description } : {}),
  };
  return Object.keys(own).length > 0 ? { allOf: [reference], ...own } : reference;
}

function findMeanings({ metas = [] }: Description): Record<string, string> | undefined {
  return metas.find((meta) => meta.meanings)?.meanings as Record<string, string> | undefined;
}

function describeWords(description: Description): string | undefined {
  const meanings = findMeanings(description);
  const list = meanings && Object.entries(meanings).map(([word, meaning]) => `- \`${word}\`: ${meaning}`);
  const parts = [description.flags?.description, list?.join('\n')].filter((part) => part !== undefined);
  return parts.length > 0 ? parts.join('\n\n') : undefined;
}

const CONVERTERS: Record<string, (description: Description) => OpenApiSchema> = {
  string: (description) => ({ type: 'string', ...applyRules(description, STRING_RULES) }),
  number: convertNumber,
  boolean: () => ({ type: 'boolean' }),
  array: (description) => ({
    type: 'array',
    items: convertNested(getOnlyItem(description.items)),
    ...applyRules(description, ARRAY_RULES),
  }),
  object: convertObject,
  any: () => ({}),
};

function convert(description: Description): OpenApiSchema {
  const convertType = CONVERTERS[description.type ?? ''];
  if (!convertType) throw new Error(`no OpenAPI form for a Joi schema of type ${description.type}`);
  return { ...convertType(description), ...buildAnnotations(description) };
}

function buildAnnotations(description: Description): OpenApiSchema {
  const { flags, allow = [], examples, metas = [] } = description;
  const words = describeWords(description);
  const values = allow.filter((value) => value !== null && value !== '');
  const nullable = allow.includes(null);
  const format = metas.find((meta) => meta.format)?.format;
  const published = metas.find((meta) => meta.published)?.published;
  return {
    ...(format ? { format } : {}),
    // In OpenAPI 3.0.3 a nullable enum must list null.
    ...(flags?.only && values.length > 0 ? { enum: nullable ? [...values, null] : values } : {}),
    ...(nullable ? { nullable: true } : {}),
    // This list lets programs offer the values as choices without reading the description.
    ...(published ? { 'x-published-values': published } : {}),
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
    ...(patterns.length > 0 ? { additionalProperties: convertNested(getPatternSchema(patterns)) } : {}),
    ...applyRules(description, OBJECT_RULES),
  };
}

/**
 * Returns the schema of members whose names match the allowed pattern. OpenAPI 3.0.3 cannot express
 * patterns of refused names, so this function skips them.
 */
function getPatternSchema(patterns: { rule: Description }[]): Description {
  return getOnlyItem(patterns.map(({ rule }) => rule).filter(({ flags }) => flags?.presence !== 'forbidden'));
}

function convertNumber(description: Description): OpenApiSchema {
  const isInteger = description.rules?.some((rule) => rule.name === 'integer') ?? false;
  return { type: isInteger ? 'integer' : 'number', ...applyRules(description, NUMBER_RULES) };
}

type Rule = (args: Record<string, unknown>) => OpenApiSchema;

const UNPUBLISHED: Rule = () => ({});

const STRING_RULES: Record<string, Rule> = {
  trim: UNPUBLISHED,
  case: UNPUBLISHED,
  custom: UNPUBLISHED,
  min: ({ limit }) => ({ minLength: limit }),
  max: ({ limit }) => ({ maxLength: limit }),
  length: ({ limit }) => ({ minLength: limit, maxLength: limit }),
  guid: () => ({ format: 'uuid' }),
  email: () => ({ format: 'email' }),
  uri: () => ({ format: 'uri' }),
  pattern: ({ regex, name, options }) => {
    if (UNPUBLISHED_PATTERNS.includes(String(name ?? ''))) return {};
    const [, source, flags] = /^\/(.*)\/([a-z]*)$/s.exec(String(regex)) ?? [];
    // OpenAPI patterns have no flags and no inversion. A pattern published without its flags or
    // inversion could be stricter than Joi's check.
    if (source === undefined || flags || (options as { invert?: boolean } | undefined)?.invert) {
      throw new Error(`no OpenAPI form for the pattern ${regex}`);
    }
    return { pattern: source };
  },
};

const NUMBER_RULES: Record<string, Rule> = {
  integer: UNPUBLISHED,
  custom: UNPUBLISHED,
  min: ({ limit }) => ({ minimum: limit }),
  max: ({ limit }) => ({ maximum: limit }),
  greater: ({ limit }) => ({ minimum: limit, exclusiveMinimum: true }),
  port: () => ({ minimum: 0, maximum: 65_535 }),
};

const ARRAY_RULES: Record<string, Rule> = {
  custom: UNPUBLISHED,
  min: ({ limit }) => ({ minItems: limit }),
  max: ({ limit }) => ({ maxItems: limit }),
  unique: () => ({ uniqueItems: true }),
};

const OBJECT_RULES: Record<string, Rule> = {
  custom: UNPUBLISHED,
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

function getOnlyItem(items: Description[] | undefined): Description {
  if (items?.length !== 1 || !items[0])
    throw new Error('no OpenAPI form for a list or object with several kinds of items');
  return items[0];
}
