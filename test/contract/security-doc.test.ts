import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { SETTING_NAMES } from '../../shared/config/settings.js';
import { PROJECT } from '../support/load/processes.js';

const text = readFileSync(join(PROJECT, 'docs/security.md'), 'utf8');
const rows = text
  .split('\n')
  .filter((line) => line.startsWith('|') && !/^\|[-|]+\|$/.test(line))
  .map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );

function findRows(...heading: string[]): string[][] {
  const starts = rows.flatMap((row, index) => (row.join() === heading.join() ? [index] : []));
  return starts.flatMap((start) => {
    const end = rows.findIndex(
      (row, index) => index > start && ['what', 'cannot', 'cannot, by a slip'].includes(row[0]!),
    );
    return rows.slice(start + 1, end === -1 ? undefined : end);
  });
}

const listQuoted = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name as string);
const testFiles = readdirSync(join(PROJECT, 'test'), { recursive: true, encoding: 'utf8' });
const exists = (path: string) => existsSync(join(PROJECT, path));

describe('docs/security.md', () => {
  // This test cannot check that the named test file still proves the guarantee.
  it('every row about what an actor cannot do names an existing test file', () => {
    const guarantees = [
      ...findRows('cannot', 'because', 'test'),
      ...findRows('cannot, by a slip', 'because', 'test'),
    ];
    expect(guarantees.length).to.be.above(30);
    for (const [guarantee, , cell] of guarantees) {
      const tests = listQuoted(cell);
      expect(tests, guarantee).to.not.deep.equal([]);
      for (const name of tests) {
        const found = testFiles.filter((file) => file.endsWith(`/${name}.test.ts`));
        expect(found, `${guarantee}: ${name}`).to.have.length(1);
      }
    }
  });

  it('every limit names existing code files and only existing settings', () => {
    const limits = findRows('what', 'bound', 'for each', 'setting', 'code');
    expect(limits.length).to.be.above(40);
    for (const [label, , , setting, code] of limits) {
      expect(listQuoted(code), label).to.not.deep.equal([]);
      for (const path of listQuoted(code)) expect(exists(path), `${label}: ${path}`).to.equal(true);
      for (const name of listQuoted(setting)) expect(SETTING_NAMES, label).to.include(name);
    }
  });
});
