/** Checks those language rules of CONTRIBUTING.md that a program can check. */
import { expect } from 'chai';
import { listFiles, readComments, readIdentifiers, readSource } from '../support/text/source-text.js';

const MAX_COMMENT_COLUMNS = 100;

/** A word that has one meaning in this repository, with patterns of its forbidden uses. */
interface WordRule {
  word: string;
  instead: string;
  /** Pattern that is forbidden in comments and Markdown. */
  inText?: RegExp;
  /**
   * Pattern that no word of an identifier may match (`openLane` has the words `open` and `lane`).
   */
  inNames?: RegExp;
  /** Pattern that no whole identifier may match. */
  wholeName?: RegExp;
  /** Technical terms that contain the word and are allowed in identifiers. */
  term?: RegExp;
  /** Files that are not checked, because they use the word in its one meaning. */
  except?: RegExp;
  /** A text or an identifier that the rule must catch. */
  example: string;
}

const STATEMENT_FILES = /statement|customers|isolation-catalog/;

const WORD_RULES: WordRule[] = [
  {
    word: 'lane',
    instead: 'endpoint queue; read connection',
    inText: /(?<![\w`])lanes?\b/i,
    inNames: /^lanes?$/,
    example: 'openLane',
  },
  {
    word: 'gate',
    instead: 'approval threshold; concurrency limit',
    inText: /(?<![\w`])gate(s|d)?\b(?! (fee|code))/i,
    inNames: /^gate[sd]?$/,
    term: /gate_?(fee|code)s?/i,
    example: 'passGate',
  },
  {
    word: 'claim',
    instead: 'idempotency record; lease',
    inText:
      /\bidempotency claims?\b|\bclaim(s|ed|ing)? (a|an|the|it|its|this|each|every|one|rows?|due)\b|\bclaiming\b/i,
    wholeName:
      /^claim(NextMessage|NextNotice|NextExport|Due|Export|Mail|Message|Key$|Lease|Queue)|IdempotencyClaim/i,
    example: 'claimNextExport',
  },
  {
    word: 'statement',
    instead: 'query',
    inText:
      /(?<![\w`])statements?\b(?! (timeout|of (a|the|its) (customer|account)))(?<!(account|prepared) statements?)/i,
    inNames: /^statements?$/,
    except: STATEMENT_FILES,
    example: 'renderStatement',
  },
  {
    word: 'order',
    instead: 'export request',
    inText: /\bexports?('s)? orders?\b|\border of an export\b/i,
    example: 'an export order',
  },
  {
    word: 'job',
    instead: 'work order',
    inText: /\b(tow|roadside|drivers?'?s?|booked|billed|dispatched) jobs?\b/i,
    example: 'a booked job',
  },
  {
    word: 'turn',
    instead: 'event-loop tick; fair share; agent lock',
    inText: /\b(takes?|taking|took|their|its|whose|a|each|the|one|next) turns?\b/i,
    inNames: /^turns?$/,
    example: 'takeTurns',
  },
  {
    word: 'line',
    instead: 'log entry; connection',
    inText: /\blog lines?\b|\blines? of (the|a) log\b/i,
    example: 'a log line',
  },
  {
    word: 'told, said, noted',
    instead: 'returned; logged; sent; recorded',
    inText: /\b(told|noted)\b|\b(is|are|was|were|be|been|what|not) said\b/i,
    inNames: /^(told|said|noted)$/,
    example: 'tellTold',
  },
];

/** Files in which the rules are not checked, because they list or explain the forbidden uses. */
const QUOTES_WORDS = /^test\/contract\/language\.test\.ts$|^CONTRIBUTING\.md$|^CHANGELOG\.md$/;
/** Identifiers that are allowed, because they repeat names of columns, settings or API members. */
const OUTER_NAMES = new Set([
  'webhook_lanes',
  'statement_timeout',
  'gate_fee',
  'gate_code',
  'exhausted_told_count',
  'exhausted_told_at',
  'gateFee',
  'parsedStatements',
  'submittedNamedStatements',
  'statement',
  'customerStatementSchemas',
  'STATEMENT_TIMEOUT_MS',
  'lanes',
  'agent_gate_cents',
  'agentGateCents',
  'noted_po',
]);

const code = listFiles(/\.(tsx?|cjs)$/).filter(
  (file) => !QUOTES_WORDS.test(file) && !file.endsWith('generated.ts'),
);
const markdown = listFiles(/\.md$/).filter((file) => !QUOTES_WORDS.test(file));

const comments = code.flatMap((file) => readComments(file));
const passages = [
  ...comments,
  ...markdown.flatMap((file) =>
    readSource(file)
      .split('\n')
      .map((text, index) => ({ file, line: index + 1, text })),
  ),
];
const identifiers = new Map(code.map((file) => [file, readIdentifiers(file)]));

/**
 * Splits an identifier into lower-case words: `openLane` → open, lane; `MAX_LANES` → max, lanes.
 */
function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .split(/[\s_$]+/)
    .map((word) => word.toLowerCase());
}

/** Removes code in backticks, because identifiers are checked by separate patterns. */
const withoutCode = (text: string) => text.replace(/`[^`]*`/g, '');

function breaksRule(rule: WordRule, text: string): boolean {
  const inText = rule.inText?.test(withoutCode(text)) ?? false;
  return inText || (!text.includes(' ') && isForbiddenName(rule, text));
}

function isForbiddenName({ inNames, wholeName, term }: WordRule, name: string): boolean {
  const checked = term ? name.replace(term, '') : name;
  return (wholeName?.test(name) ?? false) || wordsOf(checked).some((word) => inNames?.test(word));
}

describe('the language of the repository', () => {
  for (const rule of WORD_RULES) {
    it(`has one meaning for "${rule.word}": elsewhere write ${rule.instead}`, () => {
      expect(breaksRule(rule, rule.example), `the rule must catch "${rule.example}"`).to.equal(true);
      const isChecked = (file: string) => !rule.except?.test(file);
      const inTexts = passages
        .filter(({ file, text }) => isChecked(file) && rule.inText?.test(withoutCode(text)))
        .map(({ file, line, text }) => `${file}:${line}: ${text.slice(0, 160)}`);
      const inNames = [...identifiers]
        .filter(([file]) => isChecked(file))
        .flatMap(([file, names]) =>
          [...names]
            .filter((name) => !OUTER_NAMES.has(name) && isForbiddenName(rule, name))
            .map((name) => `${file}: ${name}`),
        );
      expect([...inTexts, ...inNames]).to.deep.equal([]);
    });
  }

  it(`wraps comments at ${MAX_COMMENT_COLUMNS} columns`, () => {
    expect(comments.length).to.be.above(3000);
    const long = comments.flatMap(({ file, line, lines }) =>
      lines
        .map((text, index) => ({ place: `${file}:${line + index}`, columns: text.length }))
        .filter(({ columns }) => columns > MAX_COMMENT_COLUMNS),
    );
    expect(long).to.deep.equal([]);
  });
});
