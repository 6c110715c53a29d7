import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import ts from 'typescript';
import { RESOURCE_TABLES } from '../../shared/registry/tables.js';
import { PROJECT } from '../support/load/processes.js';

/**
 * The folders whose SQL is checked. Migrations are left out, because they may write every table.
 */
const PRODUCT_FOLDERS = ['api', 'bin', 'mcp', 'shared', 'workers'];

/**
 * Only one room may write a table. A room is a direct subfolder of one of these folders, including
 * its own subfolders, such as `shared/resources/invoices` or `shared/billing`. A top-level folder
 * that is not listed here, such as `api`, is one room.
 */
const FOLDERS_OF_ROOMS = ['shared/resources', 'shared', 'workers', 'bin'];

/** The files that may write tables of other rooms, each with the reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'bin/demo/': 'inserts two example tenants with their past, which no command can create',
  'workers/clock/store-json.ts': 'stores the JSON texts beside the rows, which no client sees change',
  'bin/commands/accounts/': 'moves all rows of an account to another deployment, unchanged',
  'shared/platform/moving/': 'copies rows of an account into a temporary table',
  'bin/once/demo-reset.ts': 'deletes the example tenants from all tables',
};

/**
 * The files whose queries have the table as a parameter. The caller's room counts as the writer of
 * that table. The pattern finds the table's name in the caller's code.
 */
const QUERIES_WITHOUT_TABLE: Readonly<Record<string, RegExp>> = {
  'shared/records/merge-records.ts': /\b(?:mergeRecords|storeMerges)\((?:[^;]*?\btable: '([a-z_]+)')?/g,
  // The lists of `defineList` have a table and fields too, but write nothing.
  'shared/records/fields/store-fields.ts':
    /(?<!\bdefineList<\w+>\()\{ table: (?:(\w+)Table\b)?[^{}]*\bfields\b/g,
  'shared/records/lease-queries.ts': /: LeasedTable = \{(?:\s*table: '([a-z_]+)')?/g,
  'shared/records/expiry.ts': /: ExpiryRule = \{(?:\s*table: '([a-z_]+)')?/g,
  'shared/sync/listed/listed-rows.ts': /: ListedTable = \{(?:\s*table: '([a-z_]+)')?/g,
  'shared/resources/planned-messages/outbox-rows.ts':
    /\b(?:postponeRow|countOrPostpone)\((?:\w+, '([a-z_]+)')?/g,
};

const TABLE = String.raw`(?:only\s+)?((?:[a-z_]+\.)?[a-z_]+|\$\{[^}]*\})`;
const WRITES = [
  new RegExp(String.raw`\binsert\s+into\s+${TABLE}`, 'gi'),
  new RegExp(String.raw`\bupdate\s+${TABLE}(?:\s+(?:as\s+)?[a-z_]+)?\s+set\b`, 'gi'),
  new RegExp(String.raw`\bdelete\s+from\s+${TABLE}`, 'gi'),
  new RegExp(String.raw`\bmerge\s+into\s+${TABLE}`, 'gi'),
  new RegExp(String.raw`\btruncate\s+(?:table\s+)?${TABLE}`, 'gi'),
  new RegExp(String.raw`\bcopy\s+${TABLE}(?:\s*\([^)]*\))?\s+from\b`, 'gi'),
];

const UNNAMED = '(not named)';

interface Write {
  path: string;
  /** A table's name, or `${…}` if the SQL gets the name from a variable. */
  table: string;
}

/** Returns all string and template literals, because SQL can only be in these. */
function listTexts(source: ts.SourceFile): string[] {
  const texts: string[] = [];
  const visit = (node: ts.Node) => {
    if (ts.isStringLiteralLike(node)) texts.push(node.text);
    else if (ts.isTemplateExpression(node)) texts.push(node.getText(source));
    node.forEachChild(visit);
  };
  visit(source);
  return texts;
}

/**
 * Returns the table that `name` stands for. If there is a resource with this name (`workOrder`),
 * that is the resource's table. Otherwise `name` is itself the name of a table.
 */
function resolveTable(name: string): string {
  const entityType = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return RESOURCE_TABLES[entityType]?.table ?? name;
}

function findWrites(path: string, code: string): Write[] {
  const source = ts.createSourceFile(path, code, ts.ScriptTarget.Latest, true);
  const named = listTexts(source).flatMap((text) =>
    WRITES.flatMap((pattern) => [...text.matchAll(pattern)].map((match) => match[1] ?? UNNAMED)),
  );
  // Skip the files of `QUERIES_WITHOUT_TABLE`, because their callers name the table.
  const patterns = path in QUERIES_WITHOUT_TABLE ? [] : Object.values(QUERIES_WITHOUT_TABLE);
  const passed = patterns.flatMap((pattern) =>
    [...code.matchAll(pattern)].map(([, name]) => (name ? resolveTable(name) : UNNAMED)),
  );
  return [...new Set([...named, ...passed])].map((table) => ({ path, table }));
}

function listSources(folder: string): string[] {
  return readdirSync(join(PROJECT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name).slice(PROJECT.length + 1));
}

function findRoom(path: string): string {
  const parent = FOLDERS_OF_ROOMS.find((folder) => path.startsWith(`${folder}/`));
  const depth = parent === undefined ? 1 : parent.split('/').length + 1;
  return path.split('/').slice(0, depth).join('/');
}

const isException = ({ path }: Write) => Object.keys(EXCEPTIONS).some((prefix) => path.startsWith(prefix));

describe('SQL that writes a table', () => {
  const found = PRODUCT_FOLDERS.flatMap(listSources).flatMap((path) =>
    findWrites(path, readFileSync(join(PROJECT, path), 'utf8')),
  );
  const writes = found.filter((write) => !isException(write));

  it('SQL that writes a table stands in one folder', () => {
    const rooms = new Map<string, Set<string>>();
    for (const { path, table } of writes)
      if (!table.startsWith('$')) rooms.set(table, (rooms.get(table) ?? new Set()).add(findRoom(path)));
    const shared = [...rooms].filter(([, { size }]) => size > 1).map(([table, set]) => [table, ...set]);
    expect(shared).to.deep.equal([]);
    for (const { table } of Object.values(RESOURCE_TABLES)) expect([...rooms.keys()]).to.include(table);
    expect([...(rooms.get('webhook_lanes') ?? [])]).to.deep.equal(['shared/deliveries']);
  });

  it('a query whose table is a parameter is known, and every caller names its table', () => {
    const parameters = writes.filter(({ table }) => table.startsWith('$'));
    expect(parameters.map(({ path }) => path)).to.have.members(Object.keys(QUERIES_WITHOUT_TABLE));
    expect(writes.filter(({ table }) => table === UNNAMED)).to.deep.equal([]);
  });

  it('every exception from one folder per table is still needed', () => {
    for (const prefix of Object.keys(EXCEPTIONS))
      expect(
        found.some(({ path }) => path.startsWith(prefix)),
        prefix,
      ).to.equal(true);
  });

  it('every form of a write is recognized, and locks and comments are not writes', () => {
    const code = `
      // insert into commented (id) values (1)
      const a = \`with x as (INSERT INTO one (id) select 1) update two t set \${NAMES} where t.id = 1\`;
      const b = 'update only three set id = 1' + 'delete from four using x';
      const c = 'merge into clock.five f' + 'truncate table six' + 'copy seven (id) from stdin';
      const d = \`update \${table} as t set id = 1\`;
      const e = 'insert into eight as r (id) values (1) on conflict (id) do update set id = 2';
      const f = 'select 1 from nine for update of n' + 'select 1 from nine for no key update skip locked';
      await mergeRecords(tx, commands, { plan, table: 'ten', columns });
      await storeMerges(tx, target, merges);
    `;
    const named = ['one', 'two', 'three', 'four', 'clock.five', 'six', 'seven', 'eight', 'ten'];
    expect(findWrites('sample.ts', code).map(({ table }) => table)).to.have.members([
      ...named,
      `\${table}`,
      UNNAMED,
    ]);
  });
});
