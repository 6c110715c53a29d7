import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { PROJECT } from '../support/processes.js';

const LIST = 'test/contract/frozen-migrations.json';

const frozen = JSON.parse(readFileSync(join(PROJECT, LIST), 'utf8')) as Record<string, string>;

function checksumOf(file: string): string {
  return createHash('sha256')
    .update(readFileSync(join(PROJECT, 'migrations', file)))
    .digest('hex');
}

const files = readdirSync(join(PROJECT, 'migrations'))
  .filter((name) => /^\d/.test(name))
  .sort();

describe('landed migrations', () => {
  it('are all still there: a database may have run them', () => {
    expect(Object.keys(frozen).filter((file) => !files.includes(file))).to.deep.equal([]);
  });

  for (const file of files) {
    it(`${file} is as it landed`, () => {
      const checksum = checksumOf(file);
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

  it('keep their order: a new one comes after all that landed', () => {
    const last = Object.keys(frozen).sort().at(-1) as string;
    for (const file of files.filter((name) => !(name in frozen)))
      expect(file > last, `${file} after ${last}`).to.equal(true);
  });
});
