import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { MIGRATION_HEAD, migrations } from '../../migrations/index.js';
import { settingsSchema } from '../../shared/config/settings.js';
import { AGENT_SCOPES, PERMISSIONS } from '../../shared/contracts/vocabulary.js';
import { commands, getCommandDefinition, resources } from '../../shared/registry/resources.js';
import { RESOURCE_TABLES } from '../../shared/registry/tables.js';
import { SCHEDULES } from '../../workers/clock/processor.js';
import * as schedules from '../../workers/clock/schedules.js';
import { HANDLER_ENTRIES } from '../../workers/writes/handlers.js';
import { buildBundledCommand } from '../support/bundles/bundle-programs.js';
import { PROJECT, readProcfile, useProcesses } from '../support/load/processes.js';
import { openApiDocument } from '../support/openapi-validator.js';

const read = (path: string) => readFileSync(join(PROJECT, path), 'utf8');

/** Returns the source of a built file: `dist/api/server.js` → `api/server.ts`. */
const toSourcePath = (built: string) => built.replace(/^dist\//, '').replace(/\.js$/, '.ts');

describe('commands and handlers', () => {
  const types = commands.map((command) => command.type);

  it('every command has exactly one handler, and every handler has a command', () => {
    // `members` also fails if a type occurs twice.
    expect(HANDLER_ENTRIES.map(([type]) => type)).to.have.members(types);
    for (const [type, handler] of HANDLER_ENTRIES) expect(handler, type).to.be.a('function');
  });

  it('every folder of shared/resources with handlers is in workers/writes/handler-maps.ts', () => {
    const listed = read('workers/writes/handler-maps.ts').match(/(?<=resources\/).+(?=\.js')/g);
    const resourceFolders = readdirSync(join(PROJECT, 'shared/resources'));
    const maps = resourceFolders
      .flatMap((name) => [`${name}/handlers`, `${name}/handlers/index`])
      .filter((path) => existsSync(join(PROJECT, `shared/resources/${path}.ts`)));
    expect(listed).to.have.members(maps);
  });

  it('every command has a unique type by which it is found', () => {
    expect(new Set(types).size).to.equal(types.length);
    for (const command of commands) expect(getCommandDefinition(command.type)).to.equal(command);
    expect(() => getCommandDefinition('invoice.nothing')).to.throw('unknown command type');
  });

  it('every command belongs to a known resource and is named after it', () => {
    for (const { type, action, entityType, permission, agentScope } of commands) {
      expect(RESOURCE_TABLES, type).to.have.property(entityType);
      expect(type.split('.')[0], type).to.equal(entityType);
      expect(action, type).to.match(new RegExp(`^${entityType}\\.([a-z_]+ed|sent)$`));
      expect(PERMISSIONS, type).to.include(permission);
      // Even people who may only read can sign in and out, and manage their own factors.
      if (!['session', 'factor'].includes(entityType))
        expect(permission, `${type} changes something`).to.not.equal('read');
      if (agentScope !== null) expect(AGENT_SCOPES, type).to.include(agentScope);
    }
  });
});

describe('resources', () => {
  it('every resource has a table and a projection, and every table has a resource', () => {
    expect(Object.keys(RESOURCE_TABLES)).to.have.members(resources.map((resource) => resource.entityType));
    for (const [entityType, { table, representation }] of Object.entries(RESOURCE_TABLES)) {
      expect(table, entityType).to.match(/^[a-z_]+$/);
      expect(representation('some_alias'), `${entityType}: the projection uses its alias`).to.include(
        'some_alias.',
      );
    }
  });

  it('every resource has documented routes for its list and its records', () => {
    for (const [entityType, { collection }] of Object.entries(RESOURCE_TABLES)) {
      // `settings` and `session` have no path with an id. An account has one settings record, and a
      // person sees only the current session.
      if (['settings', 'session'].includes(entityType)) continue;
      // The path of a template contains its key instead of an id.
      const record = entityType === 'message_template' ? '{key}' : '{id}';
      expect(openApiDocument.paths, entityType).to.include.keys(collection, `${collection}/${record}`);
    }
  });

  it('every folder of shared/resources with a module or a schema is in the registry', () => {
    const registry = read('shared/registry/modules.ts') + read('shared/registry/resources.ts');
    const listed = registry.match(/(?<=resources\/)[a-z-]+\/(module|schema)\.js/g);
    const folders = readdirSync(join(PROJECT, 'shared/resources')).flatMap((name) => {
      const file = ['module', 'schema'].find((one) =>
        existsSync(join(PROJECT, 'shared/resources', name, `${one}.ts`)),
      );
      return file ? [`${name}/${file}.js`] : [];
    });
    expect(listed).to.have.members(folders);
  });
});

describe('workers/clock/schedules.ts', () => {
  it('workers/clock/schedules.ts lists every sweep and task of a room', () => {
    const defined = ['shared', 'workers'].flatMap((folder) =>
      readdirSync(join(PROJECT, folder), { recursive: true, encoding: 'utf8' })
        .filter((path) => path.endsWith('.ts'))
        .flatMap(
          (path) =>
            read(join(folder, path)).match(
              /(?<=^const |^export const )\w+(?=: (CommandSweep|RowSweep|Task) =)/gm,
            ) ?? [],
        ),
    );
    expect(Object.keys(schedules)).to.have.members(defined);
  });

  it('every schedule has its own name, by which jobs and PostgreSQL know it', () => {
    const names = SCHEDULES.map(({ name }) => name);
    expect(new Set(names).size).to.equal(names.length);
  });
});

describe('migrations/index.ts', () => {
  const files = readdirSync(join(PROJECT, 'migrations'))
    .filter((name) => /^\d/.test(name))
    .sort();

  it('migrations/index.ts lists every migration file, sorted by name', () => {
    expect(migrations.map(({ name }) => `${name}.ts`)).to.deep.equal(files);
    expect(`${MIGRATION_HEAD}.ts`).to.equal(files.at(-1));
  });

  it('migrations/index.ts maps each name to the up and down functions of its file', async () => {
    for (const { name, up, down } of migrations) {
      expect(name).to.match(/^\d{14}_[a-z_]+$/);
      const module = (await import(`../../migrations/${name}.js`)) as { up: unknown; down: unknown };
      // Compare the functions' source texts, because the loader may create a second module for this
      // import.
      expect(String(module.up), name).to.equal(String(up));
      expect(String(module.down), name).to.equal(String(down));
    }
  });
});

describe('Procfile', () => {
  const processes = useProcesses();

  it('every Procfile entry starts a built file whose source exists', async () => {
    for (const [type, command] of Object.entries(await readProcfile())) {
      const [program, file = ''] = command;
      expect(program, type).to.equal('node');
      expect(file, type).to.match(/^dist\/.+\.js$/);
      expect(existsSync(join(PROJECT, toSourcePath(file))), `${type}: ${toSourcePath(file)}`).to.equal(true);
    }
  });

  it('the Procfile has release, web and exactly one entry for each known queue', async () => {
    const lines = await readProcfile();
    expect(lines).to.include.keys('release', 'web');
    const workedQueues = Object.values(lines).flatMap(([, file, ...queues]) =>
      file === 'dist/workers/main.js' ? queues : [],
    );
    const { code, output } = await processes.run({
      command: buildBundledCommand('workers/main.ts', 'no-such-queue'),
    });
    expect(code, output).to.equal(2);
    const known = /work on: ([a-z, -]+)\./.exec(output)?.[1]?.split(', ') ?? [];
    expect(known, output).to.not.deep.equal([]);
    expect(workedQueues).to.have.members(known);
  });
});

describe('package.json', () => {
  it('package.json starts only built files whose source exists', () => {
    const { bin, scripts } = JSON.parse(read('package.json')) as {
      bin: Record<string, string>;
      scripts: Record<string, string>;
    };
    const built = [...Object.values(bin), ...Object.values(scripts)].flatMap(
      (text) => text.match(/dist\/[\w/-]+\.js/g) ?? [],
    );
    const sources = Object.values(scripts).flatMap(
      (text) => text.match(/\b(?:bin|bench|api)\/[\w/-]+\.ts\b/g) ?? [],
    );
    expect(built).to.not.deep.equal([]);
    for (const path of [...built.map(toSourcePath), ...sources])
      expect(existsSync(join(PROJECT, path)), path).to.equal(true);
  });

  it('package.json denies every install script of a dependency, so that npm ci does not ask', () => {
    const { allowScripts } = JSON.parse(read('package.json')) as { allowScripts: Record<string, boolean> };
    const { packages } = JSON.parse(read('package-lock.json')) as {
      packages: Record<string, { hasInstallScript?: true }>;
    };
    const withScript = Object.keys(packages).filter((path) => packages[path]!.hasInstallScript);
    const names = withScript.map((path) => path.split('node_modules/').at(-1)!);
    expect(Object.keys(allowScripts)).to.have.members([...new Set(names)]);
    expect(new Set(Object.values(allowScripts))).to.deep.equal(new Set([false]));
  });
});

/**
 * Reads the table of settings in docs/guides/operators.md. Maps each setting to its documented
 * default.
 */
function readDocumentedSettings(): Map<string, string> {
  const lines = read('docs/guides/operators.md').split('\n');
  const head = lines.findIndex((line) => /^\|\s*setting\s*\|/i.test(line));
  expect(head, 'the guide has a table whose first column is called setting').to.be.above(-1);
  const rows = lines.slice(head + 2);
  const end = rows.findIndex((line) => !line.startsWith('|'));
  return new Map(
    rows.slice(0, end === -1 ? undefined : end).map((row) => {
      const [, name = '', documentedDefault = ''] = row.split('|').map((cell) => cell.trim());
      expect(name, 'a setting is in backticks').to.match(/^`[A-Z0-9_]+`$/);
      return [name.slice(1, -1), documentedDefault];
    }),
  );
}

describe('docs/guides/operators.md', () => {
  const { keys } = settingsSchema.describe() as { keys: Record<string, { flags?: { default?: unknown } }> };

  it("the operators' guide has a row for every setting and for no unknown setting", () => {
    expect([...readDocumentedSettings().keys()]).to.have.members(Object.keys(keys));
  });

  it("the operators' guide states the actual default of every setting", () => {
    const rows = readDocumentedSettings();
    for (const [name, { flags }] of Object.entries(keys)) {
      if (flags?.default !== undefined) expect(rows.get(name), name).to.equal(String(flags.default));
    }
  });
});
