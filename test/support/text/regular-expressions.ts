/**
 * Finds the regular expressions in the source code, and generates texts on which a badly written
 * expression takes long.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import ts from 'typescript';
import { PROJECT } from '../load/processes.js';

export interface FoundExpression {
  /** The path from the repository's root. */
  file: string;
  /** The literal, or the call of `RegExp`, as in the source. */
  sourceText: string;
  /** Undefined if the expression is built at run time. */
  expression: RegExp | undefined;
}

/** Finds every regular expression in the TypeScript files below these folders. */
export function findExpressions(folders: readonly string[]): FoundExpression[] {
  return folders.flatMap((folder) =>
    (readdirSync(join(PROJECT, folder), { recursive: true }) as string[])
      .filter((name) => name.endsWith('.ts'))
      .flatMap((name) => findExpressionsInFile(`${folder}/${name}`)),
  );
}

function findExpressionsInFile(file: string): FoundExpression[] {
  const found: FoundExpression[] = [];
  const source = ts.createSourceFile(file, readFileSync(join(PROJECT, file), 'utf8'), ts.ScriptTarget.Latest);
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      found.push({ file, sourceText: node.text, expression: parseLiteral(node.text) });
    } else if (
      (ts.isNewExpression(node) || ts.isCallExpression(node)) &&
      node.expression.getText(source) === 'RegExp'
    ) {
      found.push({ file, sourceText: node.getText(source), expression: undefined });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function parseLiteral(literal: string): RegExp {
  const end = literal.lastIndexOf('/');
  return new RegExp(literal.slice(1, end), literal.slice(end + 1));
}

/** Short texts that {@link generateUsualAttacks} repeats for every expression. */
const UNITS = [
  ...'aA0 \t\n/.-_:;,=@"\'\\[]{}()<>*?%$#&|~^+!é\u0000\u200d\ud800',
  'a.',
  'a-',
  'a/',
  'a:',
  'a,',
  'a ',
  'a@',
  'a_',
  '://',
  'a://',
  'a:/',
  '0-',
  '0.',
  '\r\n',
  '\\u',
  '""',
  '[ ',
];
/**
 * The last characters of the generated texts. Some of them prevent a match, so that a slow
 * expression tries all alternatives.
 */
const TAILS = ['', '\n\u0001', '!'];
const SAMPLES = 4;
const MAX_SAMPLE = 20;
/** fast-check searches forever for a text that matches an expression like `[^\P{Cc}a]`. */
const MAX_SEARCH_MS = 20_000;

/**
 * Generates texts of about `chars` characters that repeat one of the {@link UNITS}. Badly written
 * parsers are slow on such texts.
 */
export function* generateUsualAttacks(chars: number): Generator<string> {
  for (const unit of UNITS) for (const tail of TAILS) yield repeated('', unit, { tail, chars });
}

/** Generates the usual attacks, and texts that repeat parts of the expression's own matches. */
export function* generateAttacksOn(expression: RegExp, chars: number): Generator<string> {
  yield* generateUsualAttacks(chars);
  const [head = ''] = /^[\w ]+/.exec(expression.source) ?? [];
  yield repeated('', head, { chars });
  for (const sample of generateMatches(expression)) {
    yield repeated('', sample, { tail: TAILS[1], chars });
    for (let start = 0; start < sample.length; start += 1) {
      for (const length of [1, 2, 3]) {
        const unit = sample.slice(start, start + length);
        yield repeated(sample.slice(0, start), unit, { tail: TAILS[1], chars });
      }
    }
  }
}

function repeated(
  head: string,
  unit: string,
  { tail = '', chars }: { tail?: string | undefined; chars: number },
) {
  const count = Math.max(1, Math.floor((chars - head.length - tail.length) / Math.max(1, unit.length)));
  return `${head}${unit.repeat(count)}${tail}`;
}

/**
 * Generates texts that match the expression, the same texts in each run. Some assertions and flags
 * are ignored, so a few texts may not match.
 */
function generateMatches({ source, flags }: RegExp): string[] {
  const known = source
    .replace(/\\b|\(\?<?[=!][^)]*\)/g, '')
    .replace(/\\0/g, '\\x00')
    .replace(/\\p\{Surrogate\}/g, '[\\uD800-\\uDBFF]');
  const matching = fc.stringMatching(new RegExp(known, flags.replace(/[giy]/g, '')));
  const search = () => fc.sample(matching, { numRuns: SAMPLES, seed: 1 });
  const samples: string[] = runInNewContext('search()', { search }, { timeout: MAX_SEARCH_MS });
  return samples.filter((sample) => sample !== '').map((sample) => sample.slice(0, MAX_SAMPLE));
}
