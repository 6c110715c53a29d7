import { expect } from 'chai';
import type Joi from 'joi';
import { fenced } from '../../mcp/fence.js';
import { withoutInvisible } from '../../mcp/invisible.js';
import { TOOLS } from '../../mcp/tools/index.js';
import { excludes } from '../../shared/contracts/accept.js';
import { createCursorCodec } from '../../shared/contracts/cursor.js';
import { isDate, isDateTime } from '../../shared/contracts/fields.js';
import { parseStrictJson } from '../../shared/contracts/strict-json.js';
import { validate } from '../../shared/contracts/validate.js';
import { redactText } from '../../shared/platform/logger.js';
import { isWellFormedKey } from '../../shared/resources/api-keys/credential.js';
import { resources } from '../../shared/resources/index.js';
import { containsPattern } from '../../shared/resources/search.js';
import { isWellFormedToken } from '../../shared/resources/sessions/token.js';
import { usualAttacks } from '../support/regular-expressions.js';

const CHARS = 64 * 1024;
/**
 * CPU time. Generous: these take microseconds per KB. The best of some tries counts: a collection
 * may fall into one.
 */
const MAX_MS_PER_KB = 2;
const TRIES = 3;

const cursors = createCursorCodec(Buffer.alloc(32, 1));

/**
 * What reads text from outside: headers, paths, bodies, cursors, free text and whatever ends up in
 * a log entry.
 */
const READERS: Record<string, (text: string) => unknown> = {
  redactText,
  withoutInvisible: (text) => withoutInvisible(JSON.stringify(text)),
  fenced: (text) => fenced({ notes: text }),
  excludes: (text) => excludes(text, ['application/json', '*/*']),
  parseStrictJson: (text) => parseStrictJson(Buffer.from(text)),
  'parseStrictJson of a string': (text) => parseStrictJson(Buffer.from(JSON.stringify(text))),
  'decode of a cursor': (text) => cursors.decode(text, 'list'),
  isDate,
  isDateTime,
  isWellFormedToken,
  isWellFormedKey,
  containsPattern,
};

/** The first text over which `read` takes too long; what it throws does not matter. */
function findSlowText(read: (text: string) => unknown): string | undefined {
  const timeOf = (text: string) => {
    const usedBefore = process.cpuUsage();
    try {
      read(text);
    } catch {
      // A refusal must be as quick as an answer.
    }
    return process.cpuUsage(usedBefore).user / 1000;
  };
  const maxMs = (CHARS / 1024) * MAX_MS_PER_KB;
  for (const text of usualAttacks(CHARS)) {
    if (Array.from({ length: TRIES }).every(() => timeOf(text) > maxMs)) return text.slice(0, 60);
  }
  return undefined;
}

/** Every text field of a schema, by its path. */
function textFields(schema: Joi.Schema, path: string): [path: string, schema: Joi.Schema][] {
  if (schema.type === 'string') return [[path, schema]];
  const { keys = [], items = [] } = schema.$_terms as Record<'keys' | 'items', Joi.Schema[] | undefined>;
  const members = (keys as unknown as { key: string; schema: Joi.Schema }[] | null) ?? [];
  return [
    ...members.flatMap(({ key, schema: member }) => textFields(member, `${path}.${key}`)),
    ...(items ?? []).flatMap((item) => textFields(item, `${path}[]`)),
  ];
}

describe('text from outside', () => {
  for (const [name, read] of Object.entries(READERS)) {
    it(`${name} takes at most ${MAX_MS_PER_KB} ms per KB of adversarial text`, () => {
      expect(findSlowText(read)).to.equal(undefined);
    });
  }

  const schemas = [
    ...resources.flatMap(({ entityType, schemas: own }) =>
      Object.entries(own).map(([name, schema]) => [`${entityType} ${name}`, schema] as const),
    ),
    ...TOOLS.map(({ name, input }) => [name, input] as const),
  ];
  /** Fields of the same rules are tried once, under the name of the first. */
  const fields = new Map<string, [path: string, schema: Joi.Schema]>();
  for (const [path, field] of schemas.flatMap(([name, schema]) => textFields(schema, name))) {
    const rules = JSON.stringify({
      ...field.describe(),
      flags: undefined,
      examples: undefined,
      metas: undefined,
    });
    if (!fields.has(rules)) fields.set(rules, [path, field]);
  }
  for (const [path, field] of fields.values()) {
    it(`${path} is checked in at most ${MAX_MS_PER_KB} ms per KB of adversarial text`, () => {
      expect(findSlowText((text) => validate(field, text))).to.equal(undefined);
    });
  }
});
