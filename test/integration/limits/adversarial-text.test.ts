import { expect } from 'chai';
import type Joi from 'joi';

import { stripInvisibleCharacters } from '../../../mcp/text/strip-invisible.js';
import { delimitUntrustedText } from '../../../mcp/text/untrusted-text.js';
import { TOOLS } from '../../../mcp/tools/index.js';
import { createCursorCodec } from '../../../shared/contracts/cursor.js';
import { parseStrictJson } from '../../../shared/contracts/json/strict-json.js';
import { isDate, isDateTime } from '../../../shared/contracts/schemas/fields.js';
import { validate } from '../../../shared/contracts/schemas/validate.js';
import { excludesMediaType } from '../../../shared/http/accept-header.js';
import { redactText } from '../../../shared/platform/logger.js';
import { buildContainsPattern } from '../../../shared/records/lists/search.js';
import { resources } from '../../../shared/registry/resources.js';
import { isWellFormedKey } from '../../../shared/resources/api-keys/credential.js';
import { isWellFormedToken } from '../../../shared/resources/sessions/token.js';
import { generateUsualAttacks } from '../../support/text/regular-expressions.js';

const CHARS = 64 * 1024;
/**
 * The number of characters of the first, short measurement. If this measurement takes more than
 * SUSPICIOUS_MS, the test also measures CHARS characters. Their limit is 128 ms. A quadratic
 * function takes 20 times this limit (2560 ms), and therefore 40 ms in the short measurement.
 */
const SHORT_CHARS = 8 * 1024;
const SUSPICIOUS_MS = 2;
/**
 * The limit for CPU time. It is generous, because these functions take microseconds per KB. The
 * fastest of several tries counts, because garbage collection may slow a try down.
 */
const MAX_MS_PER_KB = 2;
const TRIES = 3;

const cursors = createCursorCodec(Buffer.alloc(32, 1));

/**
 * Functions that read texts from clients, such as headers, paths, bodies, cursors and free text,
 * and functions that read texts to log.
 */
const TEXT_READERS: Record<string, (text: string) => unknown> = {
  redactText,
  withoutInvisible: (text) => stripInvisibleCharacters(JSON.stringify(text)),
  fenced: (text) => delimitUntrustedText({ notes: text }),
  excludes: (text) => excludesMediaType(text, ['application/json', '*/*']),
  parseStrictJson: (text) => parseStrictJson(Buffer.from(text)),
  'parseStrictJson of a string': (text) => parseStrictJson(Buffer.from(JSON.stringify(text))),
  'decode of a cursor': (text) => cursors.decode(text, 'list'),
  isDate,
  isDateTime,
  isWellFormedToken,
  isWellFormedKey,
  containsPattern: buildContainsPattern,
};

/**
 * Returns the beginning of the first text that `read` handles too slowly, if there is one. Ignores
 * errors of `read`.
 */
function findSlowText(read: (text: string) => unknown): string | undefined {
  const measureCpuMs = (text: string) => {
    const usedBefore = process.cpuUsage();
    try {
      read(text);
    } catch {
      // A thrown error is ignored, because only the time counts: refusing a text must be as fast as
      // accepting it.
    }
    return process.cpuUsage(usedBefore).user / 1000;
  };
  const maxMs = (CHARS / 1024) * MAX_MS_PER_KB;
  const longTexts = generateUsualAttacks(CHARS);
  for (const short of generateUsualAttacks(SHORT_CHARS)) {
    const text = longTexts.next().value as string;
    if (measureCpuMs(short) <= SUSPICIOUS_MS) continue;
    if (Array.from({ length: TRIES }).every(() => measureCpuMs(text) > maxMs)) return text.slice(0, 60);
  }
  return undefined;
}

function listTextFields(schema: Joi.Schema, path: string): [path: string, schema: Joi.Schema][] {
  if (schema.type === 'string') return [[path, schema]];
  const { keys = [], items = [] } = schema.$_terms as Record<'keys' | 'items', Joi.Schema[] | undefined>;
  const members = (keys as unknown as { key: string; schema: Joi.Schema }[] | null) ?? [];
  return [
    ...members.flatMap(({ key, schema: member }) => listTextFields(member, `${path}.${key}`)),
    ...(items ?? []).flatMap((item) => listTextFields(item, `${path}[]`)),
  ];
}

describe('CPU time for text of clients', () => {
  for (const [name, read] of Object.entries(TEXT_READERS)) {
    it(`${name} takes at most ${MAX_MS_PER_KB} ms per KB of adversarial text`, () => {
      expect(findSlowText(read)).to.equal(undefined);
    });
  }

  const schemas = [
    ...resources.flatMap(({ entityType, schemas: ownSchemas }) =>
      Object.entries(ownSchemas).map(([name, schema]) => [`${entityType} ${name}`, schema] as const),
    ),
    ...TOOLS.map(({ name, input }) => [name, input] as const),
  ];
  /**
   * Maps each distinct set of rules to the first field that has these rules, so that equal rules
   * are tested once.
   */
  const fields = new Map<string, [path: string, schema: Joi.Schema]>();
  for (const [path, field] of schemas.flatMap(([name, schema]) => listTextFields(schema, name))) {
    const rules = JSON.stringify({
      ...field.describe(),
      flags: undefined,
      examples: undefined,
      metas: undefined,
    });
    if (!fields.has(rules)) fields.set(rules, [path, field]);
  }
  for (const [path, field] of fields.values()) {
    it(`validation of ${path} takes at most ${MAX_MS_PER_KB} ms per KB of adversarial text`, () => {
      expect(findSlowText((text) => validate(field, text))).to.equal(undefined);
    });
  }
});
