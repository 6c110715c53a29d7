import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { PROJECT } from '../support/load/processes.js';

/**
 * The commands of `tow` that only call the API. Each use starts a new process, so they must start
 * fast.
 */
const CLIENT_COMMANDS = ['export/export', 'listen/listen', 'mcp/mcp', 'trigger/trigger'];
const DRIVERS = ['bullmq', 'ioredis', 'knex', 'pg'];

/**
 * Lists the files and packages that a file imports when it runs. Leaves out type imports, because
 * they load nothing.
 */
function listImports(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(/^(?:import|export) (?!type )(?:[^;]*? from )?'([^']+)'/gm)].flatMap(
    ([, name = '']) => {
      if (!name.startsWith('.')) return [name];
      const path = join(dirname(file), name).replace(/\.js$/, '.ts');
      return existsSync(path) ? [path] : [];
    },
  );
}

/** Lists the files and packages that a file imports, directly or through other files. */
function listLoaded(file: string, known = new Set<string>()): Set<string> {
  for (const name of listImports(file)) {
    if (known.has(name)) continue;
    known.add(name);
    if (name.startsWith(PROJECT)) listLoaded(name, known);
  }
  return known;
}

describe('the commands of tow that call the API', () => {
  for (const name of CLIENT_COMMANDS)
    it(`bin/commands/${name}.ts loads no driver of PostgreSQL or Redis`, () => {
      const loaded = listLoaded(join(PROJECT, `bin/commands/${name}.ts`));
      expect(loaded).to.include(join(PROJECT, 'bin/cli/exit-codes.ts'));
      expect(DRIVERS.filter((driver) => loaded.has(driver))).to.deep.equal([]);
    });
});
