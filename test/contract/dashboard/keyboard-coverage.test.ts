/** Checks that a keyboard test sends every write of the dashboard. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { PROJECT } from '../../support/load/processes.js';

/** A write of the dashboard's client, such as `client.POST('/invoices', …)`. */
const WRITE = /\bclient\s*\.(POST|PUT|PATCH|DELETE)\(\s*'([^']+)'/g;
/** A write that a test names for `expectWrites`, such as `'POST /invoices'`. */
const NAMED = /'((?:POST|PUT|PATCH|DELETE) \/[^']*)'/g;

function readSources(folder: string, ending: RegExp): string[] {
  return readdirSync(join(PROJECT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => ending.test(name) && !name.startsWith('generated'))
    .map((name) => readFileSync(join(PROJECT, folder, name), 'utf8'));
}

describe('tasks by keyboard alone', () => {
  const sent = new Set(
    readSources('dashboard', /\.tsx?$/).flatMap((text) =>
      [...text.matchAll(WRITE)].map(([, method, path]) => `${method} ${path}`),
    ),
  );
  const named = new Set(
    readSources('test/browser/keyboard', /\.test\.ts$/).flatMap((text) =>
      [...text.matchAll(/expectWrites\(([^)]*)\)/g)].flatMap(([, writes = '']) =>
        [...writes.matchAll(NAMED)].map(([, write]) => write),
      ),
    ),
  );

  it('each write of the dashboard has a test in test/browser/keyboard that expects it', () => {
    expect(sent.size, 'the writes found in dashboard/').to.be.above(50);
    expect(
      [...sent].filter((write) => !named.has(write)).sort(),
      'writes that no test sends by keyboard; do the task in test/browser/keyboard, and name it in expectWrites',
    ).to.deep.equal([]);
  });
});
