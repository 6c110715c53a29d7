import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import ts from 'typescript';
import { FOLDERS } from '../run/folders.js';
import { PROJECT } from '../support/load/processes.js';

const MAX_FILES = 15;
/** These folders may have any number of files, because people look up a file there by its name. */
const LISTS = ['api/routes', 'bench', 'docs/adr', 'migrations'];

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: PROJECT,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && existsSync(join(PROJECT, file)));

/** Maps each folder to the folders that its own files import, each with one example import. */
function readFolderImports(): Map<string, Map<string, string>> {
  const sources = new Set(files.filter((file) => /\.tsx?$/.test(file)));
  const imports = new Map<string, Map<string, string>>();
  for (const file of sources) {
    const { importedFiles } = ts.preProcessFile(readFileSync(join(PROJECT, file), 'utf8'), true, true);
    const from = dirname(file);
    const targets = imports.get(from) ?? new Map<string, string>();
    imports.set(from, targets);
    for (const { fileName } of importedFiles) {
      const target = findImportedFile(sources, join(from, fileName));
      if (!target) continue;
      const to = dirname(target);
      if (to !== from) targets.set(to, `${file} imports ${target}`);
    }
  }
  return imports;
}

/**
 * Finds the file that an import names. In the dashboard, imports omit the file ending or name a
 * folder.
 */
function findImportedFile(sources: Set<string>, path: string): string | undefined {
  const candidates = [path.replace(/\.js$/, '.ts'), ...['.ts', '.tsx', '/index.ts'].map((end) => path + end)];
  return candidates.find((candidate) => sources.has(candidate));
}

/** True if imports lead from `start` to `goal`, directly or through other folders. */
function leadsTo(imports: Map<string, Map<string, string>>, start: string, goal: string): boolean {
  const seen = new Set<string>();
  const left = [start];
  for (let folder = left.pop(); folder !== undefined; folder = left.pop()) {
    if (folder === goal) return true;
    if (seen.has(folder)) continue;
    seen.add(folder);
    left.push(...(imports.get(folder)?.keys() ?? []));
  }
  return false;
}

describe('folders', () => {
  // This check treats each subfolder as a separate folder. The cycle rule of dependency-cruiser
  // counts a subfolder as part of its parent.
  it('no folder imports another that imports it back, directly or through others', () => {
    const imports = readFolderImports();
    expect(imports.size).to.be.above(60);
    const cycles = [...imports].flatMap(([from, targets]) =>
      [...targets].filter(([to]) => leadsTo(imports, to, from)).map(([, example]) => example),
    );
    expect(cycles).to.deep.equal([]);
  });

  it(`a folder holds at most ${MAX_FILES} files at its own level, unless it is a list of like things`, () => {
    const counts = new Map<string, number>();
    for (const file of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
    counts.delete('.');
    const large = [...counts].filter(([folder, count]) => count > MAX_FILES && !LISTS.includes(folder));
    expect(large.map(([folder, count]) => `${folder}: ${count}`)).to.deep.equal([]);
  });

  it('every test file is run by npm test, or by the faults of .ci/nightly', () => {
    // `npm run check:recipes` runs the tests of the recipes, in a copy of the project.
    const tests = files.filter((file) => /\.test\.tsx?$/.test(file) && !file.startsWith('.ci/recipes/'));
    expect(tests.length).to.be.above(400);
    const listFaults = 'source .ci/steps; in_second_way test/faults; in_first_way_only test/faults';
    const faults = execFileSync('bash', ['-c', listFaults], { cwd: PROJECT, encoding: 'utf8' }).split('\n');
    const commands = ['run', 'nightly'].map((name) => readFileSync(join(PROJECT, '.ci', name), 'utf8'));
    expect(commands[0]).to.include(' npm test\n').and.include(' test/faults/faults.test.ts\n');
    for (const list of ['in_second_way', 'in_first_way_only'])
      expect(commands[1]).to.include(`$(${list} test/faults)\n`);
    const isRun = (file: string) =>
      faults.includes(file) ||
      (FOLDERS.some((folder) => file.startsWith(`${folder}/`)) && file.endsWith('.ts'));
    expect(tests.filter((file) => !isRun(file))).to.deep.equal([]);
  });
});
