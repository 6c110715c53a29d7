import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { settingsSchema } from '../../shared/platform/settings.js';
import { PROJECT } from '../support/processes.js';

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

/** Rows of the tables with this heading row. */
function rowsUnder(...heading: string[]): string[][] {
  const starts = rows.flatMap((row, index) => (row.join() === heading.join() ? [index] : []));
  return starts.flatMap((start) => {
    const end = rows.findIndex(
      (row, index) => index > start && ['what', 'cannot', 'cannot, by a slip'].includes(row[0]!),
    );
    return rows.slice(start + 1, end === -1 ? undefined : end);
  });
}

const quoted = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name as string);
const exists = (path: string) => existsSync(join(PROJECT, path));

describe('docs/security.md', () => {
  // Whether a test in that file still proves the row, only a reader can tell.
  it('names for everything that an actor cannot do a test file that is there', () => {
    const claims = [
      ...rowsUnder('cannot', 'because', 'test'),
      ...rowsUnder('cannot, by a slip', 'because', 'test'),
    ];
    expect(claims.length).to.be.above(30);
    for (const [claim, , cell] of claims) {
      const tests = quoted(cell);
      expect(tests, claim).to.not.deep.equal([]);
      for (const name of tests) {
        const path = name.includes('/') ? `test/${name}.test.ts` : `test/integration/${name}.test.ts`;
        expect(exists(path), `${claim}: ${path}`).to.equal(true);
      }
    }
  });

  it('names for every limit the code that holds it, and only settings that are there', () => {
    const limits = rowsUnder('what', 'bound', 'for each', 'setting', 'code');
    expect(limits.length).to.be.above(40);
    const settings = Object.keys((settingsSchema.describe() as { keys: object }).keys);
    for (const [what, , , setting, code] of limits) {
      expect(quoted(code), what).to.not.deep.equal([]);
      for (const path of quoted(code)) expect(exists(path), `${what}: ${path}`).to.equal(true);
      for (const name of quoted(setting)) expect(settings, what).to.include(name);
    }
  });
});
