import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { PROJECT } from '../support/load/processes.js';

const SOURCE_FOLDERS = ['api', 'workers', 'mcp', 'shared', 'migrations', 'bin', 'dashboard'];
const MAX_LINES = 250;
const MAX_TEST_LINES = 350;
const GENERATED = [
  'shared/contracts/generated.ts',
  'shared/config/generated.ts',
  'dashboard/generated/api.ts',
  'dashboard/generated/vocabulary.ts',
];

const TOP_LEVEL = [
  ...SOURCE_FOLDERS,
  'bench',
  'test',
  'docs',
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'Procfile',
  'package.json',
  'package-lock.json',
];
/** Patterns of top-level names that tools require or that git ignores. */
const TOOL_FILES = [
  /^\./,
  /^tsconfig(\.\w+)?\.json$/,
  /^biome\.json$/,
  /^(node_modules|dist|coverage|shots)$/,
  /\.log$/,
];

const SHARED_FOLDERS = [
  'outbound',
  'config',
  'platform',
  'http',
  'storage',
  'server',
  'contracts',
  'queues',
  'events',
  'records',
  'deliveries',
  'billing',
  'documents',
  'resources',
  'registry',
  'operations',
  'integrations',
  'sync',
];

/** These names are forbidden, because they say nothing about the content. */
const VAGUE_NAMES = /^(utils?|helpers?|common|misc|managers?|services?|data|lib|types|constants)$/;

function listSources(folder: string): string[] {
  return readdirSync(join(PROJECT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.[cm]?[jt]sx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(PROJECT.length + 1))
    .filter((path) => !path.includes('node_modules/'));
}

const countLines = (path: string) => readFileSync(join(PROJECT, path), 'utf8').trimEnd().split('\n').length;

const product = SOURCE_FOLDERS.flatMap(listSources).filter((path) => !GENERATED.includes(path));
const tests = listSources('test');

describe('repository files', () => {
  it(`product files have at most ${MAX_LINES} lines: a longer file has two purposes`, () => {
    expect(product).to.have.length.above(50);
    expect(
      product.filter((path) => countLines(path) > MAX_LINES).map((path) => `${path}: ${countLines(path)}`),
    ).to.deep.equal([]);
  });

  it(`test files have at most ${MAX_TEST_LINES} lines`, () => {
    expect(
      tests.filter((path) => countLines(path) > MAX_TEST_LINES).map((path) => `${path}: ${countLines(path)}`),
    ).to.deep.equal([]);
  });

  it('files and folders have kebab-case names that describe the content', () => {
    for (const path of [...product, ...tests]) {
      for (const part of path.replace(/(\.test|\.config)?\.[cm]?[jt]sx?$/, '').split('/')) {
        expect(part, path).to.match(/^[a-z0-9]+(-[a-z0-9]+)*$|^\d{14}_[a-z_]+$/);
        expect(part, path).to.not.match(VAGUE_NAMES);
      }
    }
  });

  it('the top level contains only known files and folders', () => {
    const unknownNames = readdirSync(PROJECT).filter(
      (name) => !TOP_LEVEL.includes(name) && !TOOL_FILES.some((pattern) => pattern.test(name)),
    );
    expect(unknownNames).to.deep.equal([]);
  });

  it('shared/ contains only known folders and no loose file', () => {
    const entries = readdirSync(join(PROJECT, 'shared'), { withFileTypes: true });
    expect(entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name)).to.deep.equal([]);
    expect(SHARED_FOLDERS).to.include.members(entries.map(({ name }) => name));
  });
});
