import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { PROJECT } from '../support/load/processes.js';
import { listFiles, readComments, readSource } from '../support/text/source-text.js';

interface Citation {
  file: string;
  line: number;
  cited: string;
}

const ROOMS = 'api|workers|mcp|shared|migrations|bin|test|bench|docs|dashboard|\\.ci';
const CITED_PATH = new RegExp(
  `(?<![\\w./@-])(?:${ROOMS})/[\\w./-]*[\\w-]\\.(?:ts|md|json|sh|cjs|yaml)\\b`,
  'g',
);
/**
 * Matches a file with one or more sections: `docs/x.md §1`, or `docs/x.md §1 "Title", §2 and §3`.
 */
const CITED_SECTIONS = /(docs\/[\w./-]+\.md) §\d+(?:\.\d+)*(?:(?: "[^"]*")?(?:,| and) §\d+(?:\.\d+)*)*/g;
const SECTION_NUMBER = /§(\d+(?:\.\d+)*)/g;
const RFC_SECTION = /RFC ?\d+(?:bis)? §[\d.]+/g;
const CITED_ADR = /\bADR (\d+)\b/g;
/** Matches citations that a reader cannot look up, because they name no file of the repository. */
const UNRESOLVABLE = [
  /\bdecisions? \d+\b/i,
  /\b(?:spec|specification),? (?:§ ?)?\d/i,
  /§ ?\d/,
  /\b(?:issue|task|step|session|stop|line) #?\d+ of the (?:issue|task)\b/i,
  /\bissues? \d+\b/i,
  /(?<![\w/])\.\.\/shared\//,
];

const adrNumbers = new Set(listFiles(/^docs\/adr\/\d{4}-/).map((path) => Number(path.slice(9, 13))));
const markdown = listFiles(/\.md$/);
const sources = listFiles(/\.(tsx?|cjs)$/).filter((file) => file !== 'test/contract/citations.test.ts');

/** Wraps `read` so that it reads each file only once. Many passages cite the same file. */
function once<R>(read: (file: string) => R): (file: string) => R {
  const results = new Map<string, R>();
  return (file) => {
    if (!results.has(file)) results.set(file, read(file));
    return results.get(file)!;
  };
}

/** Returns the section numbers in a Markdown file, such as "4" and "4.1". */
const sectionsIn = once((file): Set<string> => {
  const headings = readSource(file).matchAll(/^#+ (?:§ ?)?(\d+(?:\.\d+)*)\.?\s/gm);
  return new Set([...headings].map(([, number]) => number!));
});

const anchorsIn = once((file): Set<string> => {
  const headings = readSource(file).matchAll(/^#+ (.+)$/gm);
  const anchor = (heading: string) =>
    heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-');
  return new Set([...headings].map(([, heading]) => anchor(heading!.trim())));
});

const passages = [
  ...sources.flatMap((file) => readComments(file)),
  ...markdown.flatMap((file) =>
    readSource(file)
      .split('\n')
      .map((text, index) => ({ file, line: index + 1, text })),
  ),
];

function broken(find: (text: string, file: string) => string[]): Citation[] {
  return passages.flatMap(({ file, line, text }) => find(text, file).map((cited) => ({ file, line, cited })));
}

function brokenPaths(text: string): string[] {
  return (text.match(CITED_PATH) ?? []).filter((path) => !existsSync(join(PROJECT, path)));
}

function brokenSections(text: string): string[] {
  return [...text.matchAll(CITED_SECTIONS)].flatMap(([cited, path]) =>
    [...cited.matchAll(SECTION_NUMBER)]
      .filter(([, number]) => !existsSync(join(PROJECT, path!)) || !sectionsIn(path!).has(number!))
      .map(([section]) => `${path} ${section}`),
  );
}

function brokenAdrs(text: string): string[] {
  return [...text.matchAll(CITED_ADR)]
    .filter(([, number]) => !adrNumbers.has(Number(number)))
    .map(([cited]) => cited);
}

function unresolvable(text: string): string[] {
  const rest = text.replace(CITED_SECTIONS, '').replace(RFC_SECTION, '');
  return UNRESOLVABLE.flatMap((pattern) => rest.match(pattern)?.slice(0, 1) ?? []);
}

function brokenLinks(text: string, file: string): string[] {
  if (!file.endsWith('.md')) return [];
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target]) => target!)
    .filter((target) => !/^[a-z]+:/.test(target))
    .filter((target) => {
      const [path, anchor] = target.split('#') as [string, string?];
      const resolved = path === '' ? file : join(dirname(file), path);
      if (!existsSync(join(PROJECT, resolved))) return true;
      return anchor !== undefined && resolved.endsWith('.md') && !anchorsIn(resolved).has(anchor);
    });
}

describe('citations in comments and Markdown', () => {
  it('name files of the repository that exist', () => {
    expect(broken(brokenPaths)).to.deep.equal([]);
  });

  it('name numbered sections that exist in the cited file', () => {
    expect(broken(brokenSections)).to.deep.equal([]);
  });

  it('name architecture decision records that exist', () => {
    expect(broken(brokenAdrs)).to.deep.equal([]);
  });

  it('never name a note, an issue or a section that a reader of the repository cannot open', () => {
    expect(broken(unresolvable)).to.deep.equal([]);
  });

  it('link from Markdown to files and headings that exist', () => {
    expect(broken(brokenLinks)).to.deep.equal([]);
  });

  it('are recognized when they are broken', () => {
    expect(brokenPaths('see api/no-such-file.ts')).to.deep.equal(['api/no-such-file.ts']);
    expect(brokenSections('docs/decisions.md §99')).to.deep.equal(['docs/decisions.md §99']);
    expect(brokenAdrs('ADR 999')).to.deep.equal(['ADR 999']);
    expect(unresolvable('by decision 14')).to.deep.equal(['decision 14']);
    expect(brokenLinks('[x](no-such.md)', 'README.md')).to.deep.equal(['no-such.md']);
    expect(brokenLinks('[x](README.md#no-such-heading)', 'README.md')).to.have.length(1);
  });
});
