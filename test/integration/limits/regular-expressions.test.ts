import { createContext, Script } from 'node:vm';
import { expect } from 'chai';
import { findExpressions, generateAttacksOn } from '../../support/text/regular-expressions.js';

const FOLDERS = ['api', 'mcp', 'workers', 'shared', 'bin'];
const CHARS = 64 * 1024;
/**
 * The number of characters of the first, short measurement. If this measurement takes more than
 * SUSPICIOUS_MS, the test also measures CHARS characters. Their limit is 128 ms. A quadratic
 * expression takes 20 times this limit (2560 ms), and therefore 40 ms in the short measurement.
 */
const SHORT_CHARS = 8 * 1024;
const SUSPICIOUS_MS = 2;
/**
 * The limit for CPU time. It is generous: a linear expression takes some microseconds per KB, and a
 * quadratic expression at least 20 times this limit.
 */
const MAX_MS_PER_KB = 2;
/**
 * The number of times that a text is measured. The fastest try counts, because garbage collection
 * may slow a try down.
 */
const TRIES = 3;
/** V8 stops an expression after this time. An exponential expression would never end. */
const GIVE_UP_MS = 20_000;

/** Maps code that composes an expression at run time to the resulting expression. */
const COMPOSED: Record<string, RegExp> = {
  'new RegExp(`Tow Dispatch ${kind} ([0-9a-fA-F-]{36})`)': /Tow Dispatch payment ([0-9a-fA-F-]{36})/,
  'new RegExp(`^${DATE.source}[ T]${TIME.source}(?:${OFFSET.source})$`)':
    /^\d{4,6}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])[ T](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?(?:Z|[+-](?:0\d|1[0-5])(?::?[0-5]\d(?::[0-5]\d)?)?)$/,
  // The fast path of validation compiles the patterns of Joi schemas again. Each pattern is also a
  // literal elsewhere, so this test already tries all of them. Here, one pattern stands for all.
  'new RegExp(source, flags)': /^[\P{Cc}\n\r\t]*$/u,
};

/** A script that finds the first slow text. `runInContext` can stop this script after a timeout. */
const MEASURE = new Script(`
  (() => {
    const timeOf = (text) => {
      expression.lastIndex = 0;
      const startedAt = now();
      text.search(expression);
      if (expression.global) text.replace(expression, '');
      return now() - startedAt;
    };
    const isSlow = (text) => {
      for (let tries = 0; tries < maxTries; tries++) if (timeOf(text) <= maxMs) return false;
      return true;
    };
    return texts.findIndex((text, nth) => nth >= from && isSlow(text));
  })();
`);

interface Limits {
  maxMs: number;
  maxTries: number;
  from?: number;
}

/**
 * Returns the index of the first text that takes more than `maxMs` of CPU time in every try, or -1.
 * Returns `from` if V8 stops the expression after `GIVE_UP_MS`.
 */
function findSlowIndex(expression: RegExp, texts: string[], { maxMs, maxTries, from = 0 }: Limits): number {
  const now = () => process.cpuUsage().user / 1000;
  try {
    const context = createContext({ expression, texts, now, maxMs, maxTries, from });
    return MEASURE.runInContext(context, { timeout: GIVE_UP_MS });
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    return from;
  }
}

/**
 * Returns a text of `chars` characters for which the expression takes too long, if there is one.
 */
function findSlowText(expression: RegExp, chars = CHARS, maxTries = TRIES): string | undefined {
  const shortTexts = [...generateAttacksOn(expression, SHORT_CHARS)];
  const findSuspicious = (from: number) =>
    findSlowIndex(expression, shortTexts, { maxMs: SUSPICIOUS_MS, maxTries: 1, from });
  const maxMs = (chars / 1024) * MAX_MS_PER_KB;
  for (let nth = findSuspicious(0); nth >= 0; nth = findSuspicious(nth + 1)) {
    const long = [...generateAttacksOn(expression, chars)][nth] as string;
    if (findSlowIndex(expression, [long], { maxMs, maxTries }) === 0) return long;
  }
  return undefined;
}

describe('regular expressions in the sources', () => {
  const found = findExpressions(FOLDERS);
  const literals = found.filter(({ expression }) => expression !== undefined);
  const composed = found.filter(({ expression }) => expression === undefined);

  it('this test lists every regular expression that is composed at run time', () => {
    expect(composed.map(({ sourceText }) => sourceText).sort()).to.deep.equal(Object.keys(COMPOSED).sort());
  });

  /** The slow text of each expression, because several places may have the same one. */
  const slowTexts = new Map<string, string | undefined>();
  const tried = new Map<string, { expression: RegExp; file: string }>();
  for (const { sourceText, file, expression } of literals)
    tried.set(sourceText, { expression: expression as RegExp, file });
  for (const { sourceText, file } of composed) {
    const expression = COMPOSED[sourceText];
    if (expression) tried.set(sourceText, { expression, file });
  }

  for (const [written, { expression, file }] of tried) {
    it(`${written} in ${file} takes at most ${MAX_MS_PER_KB} ms per KB of adversarial text`, () => {
      if (!slowTexts.has(String(expression))) slowTexts.set(String(expression), findSlowText(expression));
      const text = slowTexts.get(String(expression));
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
    // Try three times, because a short text may once take too little time to look suspicious.
    const find = (slow: RegExp) => findSlowText(slow, CHARS / 2, 1);
    for (const slow of quadratic)
      expect(find(slow) ?? find(slow) ?? find(slow), String(slow)).to.be.a('string');
  });
});
