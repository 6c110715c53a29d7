import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import ts from 'typescript';
import { PROJECT } from '../support/load/processes.js';

const LIST = 'test/contract/frozen-migrations.json';

const frozen = JSON.parse(readFileSync(join(PROJECT, LIST), 'utf8')) as Record<string, string>;

/** SHA-256 of a migration's code without its comments, so that comments can be improved. */
function codeChecksum(file: string): string {
  const source = readFileSync(join(PROJECT, 'migrations', file), 'utf8');
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest);
  return createHash('sha256')
    .update(ts.createPrinter({ removeComments: true }).printFile(tree))
    .digest('hex');
}

const files = readdirSync(join(PROJECT, 'migrations'))
  .filter((name) => /^\d/.test(name))
  .sort();

describe('landed migrations', () => {
  it('no landed migration is missing: a database may have run it', () => {
    expect(Object.keys(frozen).filter((file) => !files.includes(file))).to.deep.equal([]);
  });

  for (const file of files) {
    it(`${file} is unchanged since it landed`, () => {
      const checksum = codeChecksum(file);
      const line = `"${file}": "${checksum}"`;
      expect(
        frozen,
        `a new migration: when it lands, add this line to ${LIST}:\n  ${line}\n`,
      ).to.have.property(file);
      expect(checksum, `${file} has landed and must not change: write a new migration instead`).to.equal(
        frozen[file],
      );
    });
  }

  it('a new migration sorts after all landed ones', () => {
    const last = Object.keys(frozen).sort().at(-1) as string;
    for (const file of files.filter((name) => !(name in frozen)))
      expect(file > last, `${file} after ${last}`).to.equal(true);
  });
});
