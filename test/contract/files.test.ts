import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { PROJECT } from '../support/processes.js';

const SOURCE_ROOMS = ['api', 'workers', 'shared', 'migrations', 'bin'];
const MAX_LINES = 250;
const MAX_TEST_LINES = 350;
/** Written by a tool, read by nobody. */
const GENERATED = ['shared/contracts/generated.ts'];

/** Rooms and the files that people look for first. */
const TOP_LEVEL = [
  ...SOURCE_ROOMS,
  ...['mcp', 'dashboard', 'bench', 'test', 'docs'],
  ...[
    'README.md',
    'ARCHITECTURE.md',
    'CONTRIBUTING.md',
    'CHANGELOG.md',
    'Procfile',
    'package.json',
    'package-lock.json',
  ],
];
/** What tools insist on finding here, and what git does not keep. */
const TOOL_FILES = [
  /^\./,
  /^tsconfig(\.\w+)?\.json$/,
  /^biome\.json$/,
  /^(node_modules|dist|coverage)$/,
  /\.log$/,
];

/** The rooms of the core. */
const SHARED_ROOMS = ['platform', 'contracts', 'queues', 'events', 'resources', 'integrations', 'demo'];

/** Names that say nothing about what is inside. */
const EMPTY_NAMES = /^(utils?|helpers?|common|misc|managers?|services?|data|lib|types|constants)$/;

function sourcesIn(room: string): string[] {
  return readdirSync(join(PROJECT, room), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.[cm]?[jt]s$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(PROJECT.length + 1));
}

const linesOf = (path: string) => readFileSync(join(PROJECT, path), 'utf8').trimEnd().split('\n').length;

const product = SOURCE_ROOMS.flatMap(sourcesIn).filter((path) => !GENERATED.includes(path));
const tests = sourcesIn('test');

describe('files', () => {
  it(`of the product have at most ${MAX_LINES} lines: past that a file has two purposes`, () => {
    expect(product).to.have.length.above(50);
    expect(
      product.filter((path) => linesOf(path) > MAX_LINES).map((path) => `${path}: ${linesOf(path)}`),
    ).to.deep.equal([]);
  });

  it(`of the tests have at most ${MAX_TEST_LINES} lines`, () => {
    expect(
      tests.filter((path) => linesOf(path) > MAX_TEST_LINES).map((path) => `${path}: ${linesOf(path)}`),
    ).to.deep.equal([]);
  });

  it('have kebab-case names that say what is inside', () => {
    for (const path of [...product, ...tests]) {
      for (const part of path.replace(/(\.test)?\.[cm]?[jt]s$/, '').split('/')) {
        expect(part, path).to.match(/^[a-z0-9]+(-[a-z0-9]+)*$|^\d{14}_[a-z_]+$/);
        expect(part, path).to.not.match(EMPTY_NAMES);
      }
    }
  });

  it('stand in a room: nothing but the known names is at the top level', () => {
    const strangers = readdirSync(PROJECT).filter(
      (name) => !TOP_LEVEL.includes(name) && !TOOL_FILES.some((pattern) => pattern.test(name)),
    );
    expect(strangers).to.deep.equal([]);
  });

  it('stand in a room of the core: no loose file is in shared/', () => {
    const entries = readdirSync(join(PROJECT, 'shared'), { withFileTypes: true });
    expect(entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name)).to.deep.equal([]);
    expect(SHARED_ROOMS).to.include.members(entries.map(({ name }) => name));
  });
});
