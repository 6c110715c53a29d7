import { createContext, Script } from 'node:vm';
import { expect } from 'chai';
import { findExpressions, generateAttacksOn } from '../../support/text/regular-expressions.js';

const FOLDERS = ['api', 'mcp', 'workers', 'shared', 'bin'];
const CHARS = 64 * 1024;
/**
 * CPU time. The limit is generous: a linear expression takes some microseconds per KB, and a
 * quadratic expression at least 20 times this limit.
 */
const MAX_MS_PER_KB = 2;
/** The fastest try counts, because garbage collection may slow a try down. */
const TRIES = 3;
/** V8 stops an exponential expression after this time. */
const GIVE_UP_MS = 20_000;

/** Code that composes an expression at run time → the resulting expression. */
const COMPOSED: Record<string, RegExp> = {
  'new RegExp(`^${DATE.source}[ T]${TIME.source}(?:${OFFSET.source})$`)':
    /^\d{4,6}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])[ T](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?(?:Z|[+-](?:0\d|1[0-5])(?::?[0-5]\d(?::[0-5]\d)?)?)$/,
};

/** Runs in a separate context, where V8 supports a timeout. */
const MEASURE = new Script(`
  const timeOf = (text) => {
    expression.lastIndex = 0;
    const startedAt = now();
    text.search(expression);
    if (expression.global) text.replace(expression, '');
    return now() - startedAt;
  };
  let slow;
  for (const text of texts) {
    let ms = timeOf(text);
    for (let tries = 1; ms > maxMs && tries < maxTries; tries++) ms = Math.min(ms, timeOf(text));
    if (ms > maxMs) {
      slow = text;
      break;
    }
  }
  slow;
`);

/** Returns a text of 64 KB that the expression matches too slowly; undefined if none is found. */
function findSlowText(expression: RegExp, maxTries = TRIES): string | undefined {
  const context = createContext({
    expression,
    texts: generateAttacksOn(expression, CHARS),
    maxMs: (CHARS / 1024) * MAX_MS_PER_KB,
    maxTries,
    now: () => process.cpuUsage().user / 1000,
  });
  try {
    return MEASURE.runInContext(context, { timeout: GIVE_UP_MS });
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    return `a text that takes more than ${GIVE_UP_MS} ms`;
  }
}

describe('regular expressions in the sources', () => {
  const found = findExpressions(FOLDERS);
  const literals = found.filter(({ expression }) => expression !== undefined);
  const composed = found.filter(({ expression }) => expression === undefined);

  it('this test lists every regular expression that is composed at run time', () => {
    expect(composed.map(({ sourceText }) => sourceText).sort()).to.deep.equal(Object.keys(COMPOSED).sort());
  });

  const tried = new Map<string, { expression: RegExp; file: string }>();
  for (const { sourceText, file, expression } of literals)
    tried.set(sourceText, { expression: expression as RegExp, file });
  for (const { sourceText, file } of composed) {
    const expression = COMPOSED[sourceText];
    if (expression) tried.set(sourceText, { expression, file });
  }

  for (const [written, { expression, file }] of tried) {
    it(`${written} in ${file} takes at most ${MAX_MS_PER_KB} ms per KB of adversarial text`, () => {
      const text = findSlowText(expression);
      expect(text?.slice(0, 60), 'the beginning of a text that takes too long').to.equal(undefined);
    });
  }

  it('the time measurement detects quadratic expressions', function () {
    this.timeout(120_000);
    const quadratic = [
      /\b([a-z][a-z0-9+.-]*:\/\/[^\s:/@]*):[^\s@/]+@/g,
      /\/+$/,
      /role .* does not exist/,
      /\s+$/,
    ];
    for (const slow of quadratic) expect(findSlowText(slow, 1), String(slow)).to.be.a('string');
  });
});
