/** Reads the repository as text: its tracked files, and the comments in its TypeScript. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { PROJECT } from '../load/processes.js';

/** A block comment, or a run of `//` comments on consecutive lines. */
export interface SourceComment {
  file: string;
  /** The number of the comment's first line, counted from 1. */
  line: number;
  /** The source lines of the comment, unchanged. */
  lines: string[];
  /** The comment's words on one line, without the comment marks. */
  text: string;
}

/**
 * Lists the files whose path matches, as paths from the repository's root. Includes new files that
 * git does not track yet, but no ignored files.
 */
export function listFiles(pattern: RegExp): string[] {
  return execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: PROJECT,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
    .split('\n')
    .filter((path) => pattern.test(path) && existsSync(join(PROJECT, path)));
}

export function readSource(file: string): string {
  return readFileSync(join(PROJECT, file), 'utf8');
}

/** Lists the comments of a TypeScript file from top to bottom. */
export function readComments(file: string, source = readSource(file)): SourceComment[] {
  const tree = parseSource(file, source);
  const starts = tree.getLineStarts();
  const lines = source.split('\n');
  const comments: (SourceComment & { last: number; block: boolean })[] = [];
  for (const range of findCommentRanges(tree, source)) {
    const first = tree.getLineAndCharacterOfPosition(range.pos).line;
    const last = tree.getLineAndCharacterOfPosition(range.end).line;
    const block = source.startsWith('/*', range.pos);
    const ownLine = source.slice(starts[first], range.pos).trim() === '';
    const text = plainText(source.slice(range.pos, range.end));
    const previous = comments.at(-1);
    if (previous && !block && !previous.block && ownLine && previous.last === first - 1) {
      previous.lines.push(...lines.slice(first, last + 1));
      previous.text += ` ${text}`;
      previous.last = last;
    } else comments.push({ file, line: first + 1, lines: lines.slice(first, last + 1), text, last, block });
  }
  return comments.map(({ last: _last, block: _block, ...comment }) => comment);
}

/** Returns every identifier in a TypeScript file, each once. */
export function readIdentifiers(file: string, source = readSource(file)): Set<string> {
  const names = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) names.add(node.text);
    ts.forEachChild(node, visit);
  };
  visit(parseSource(file, source));
  return names;
}

const trees = new Map<string, ts.SourceFile>();

/** Parses a source file. Several functions and test files need the same tree, so it is cached. */
function parseSource(file: string, source: string): ts.SourceFile {
  const known = trees.get(file);
  if (known?.text === source) return known;
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  trees.set(file, tree);
  return tree;
}

/**
 * Finds the comments. In a string or a regular expression, `//` and `/*` do not begin a comment.
 */
function findCommentRanges(tree: ts.SourceFile, source: string): ts.TextRange[] {
  const literals: ts.TextRange[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isLiteralExpression(node) || ts.isTemplateLiteralToken(node))
      literals.push({ pos: node.getStart(tree), end: node.getEnd() });
    ts.forEachChild(node, visit);
  };
  visit(tree);
  const comments: ts.TextRange[] = [];
  const opening = /\/[/*]/g;
  for (let found = opening.exec(source); found; found = opening.exec(source)) {
    const pos = found.index;
    while (literals[0] && literals[0].end <= pos) literals.shift();
    const literal = literals[0];
    const isInLiteral = literal !== undefined && literal.pos <= pos;
    const closing = found[0] === '/*' ? source.indexOf('*/', pos + 2) + 2 : source.indexOf('\n', pos);
    const end = isInLiteral ? literal.end : closing > 0 ? closing : source.length;
    if (!isInLiteral) comments.push({ pos, end });
    opening.lastIndex = end;
  }
  return comments;
}

function plainText(comment: string): string {
  return comment
    .replace(/^\/\*\*?|\*\/$|^\/\/+/g, '')
    .replace(/^\s*\*(?!\/) ?/gm, '')
    .replace(/\s+/g, ' ')
    .trim();
}
