import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { PROJECT } from '../support/load/processes.js';
import { computeCodeChecksum, listMigrationFiles } from '../support/text/migration-files.js';

const LIST = 'test/contract/frozen-migrations.json';

const frozen = JSON.parse(readFileSync(join(PROJECT, LIST), 'utf8')) as Record<string, string>;

const files = listMigrationFiles();

describe('landed migrations', () => {
  it('no landed migration is missing: a database may have run it', () => {
    const missing = Object.keys(frozen).filter((file) => !files.includes(file));
    expect(missing, `restore the files. If they have not landed, delete their lines from ${LIST}`).to.be
      .empty;
  });

  for (const file of files) {
    it(`${file} is unchanged since it landed`, () => {
      expect(frozen, `a new migration: run \`npm run generate\``).to.have.property(file);
      expect(
        frozen[file],
        `${file} has landed and must not change: write a new migration instead. If it has not landed, ` +
          `delete its line from ${LIST} and run \`npm run generate\``,
      ).to.equal(computeCodeChecksum(file));
    });
  }

  // `npm run generate` appends a new migration to frozen-migrations.json. The test fails if the new
  // migration's time is earlier than that of a landed one.
  it('a new migration sorts after all landed ones', () => {
    const landed = Object.keys(frozen);
    expect(landed).to.deep.equal([...landed].sort());
  });
});
