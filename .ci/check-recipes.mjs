// Follows four recipes of CONTRIBUTING.md ("To add") in a copy of the repository. Fails if a recipe
// needs a file that CONTRIBUTING.md does not name, exceeds its target, or breaks a check or a test.
// Each .ci/recipes/<recipe> holds new files in new/ and changes of other files in edits.mjs.
// `npm run check:recipes -- --keep` keeps the copy.
import { execFileSync, spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const RECIPES = [
  { name: 'field', title: 'A field', maxFiles: 4 },
  { name: 'event-type', title: 'An event type', maxFiles: 3 },
  { name: 'resource', title: 'A resource', maxLinesElsewhere: 3 },
  { name: 'queue', title: 'A queue', maxFiles: 4 },
];
/** Every recipe with a migration adds a line to this file. */
const MIGRATION_LIST = 'migrations/index.ts';

// On the same file system as the packages, for hard links.
mkdirSync(join(ROOT, 'dist'), { recursive: true });
const copy = mkdtempSync(join(ROOT, 'dist/recipes-'));
const problems = [];
process.on('exit', () => {
  if (process.argv.includes('--keep')) console.log(`kept ${copy}`);
  else rmSync(copy, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));

copyRepository();
const files = [];
for (const recipe of RECIPES) files.push(...(await follow(recipe)));
await run('npm run --silent generate');
await run('npx tsx api/openapi/build-openapi.ts');
const generated = commitChanges('chore: generate').map(({ path }) => path);
console.log(`generated: ${generated.join(', ')}`);
refuseUnnamed('To add', generated, listNamedPaths('## To add', '\n- **'));
// The existing test of work orders shows that a new field breaks no test of its resource.
const WORK_ORDER_TEST = 'test/integration/work-orders/work-orders.test.ts';
const tests = [...files.filter((path) => path.endsWith('.test.ts')), WORK_ORDER_TEST];
await Promise.all([
  run('npm run --silent check'),
  run(`npx tsx test/run/main.ts --jobs 1 test/contract ${tests.join(' ')}`),
]);
for (const problem of problems) console.error(`FAILED: ${problem}`);
process.exitCode = problems.length > 0 ? 1 : 0;

/** The copy includes new files that git does not ignore. */
function copyRepository() {
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate'];
  const listed = execFileSync('git', list, { cwd: ROOT, encoding: 'utf8' }).split('\0');
  for (const file of listed.filter((path) => path !== '' && existsSync(join(ROOT, path))))
    cpSync(join(ROOT, file), join(copy, file));
  copyPackages();
  git('init', '--quiet');
  commitChanges('chore: copy');
}

/**
 * Gives the copy hard links to the packages, and the result of the last type check. That result
 * names the files of the packages by their real paths from here, so a symbolic link to the folder
 * would make it useless.
 */
function copyPackages() {
  linkFolder(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  const results = readdirSync(join(ROOT, 'dist')).filter((name) => name.endsWith('.tsbuildinfo'));
  for (const name of results) cpSync(join(ROOT, 'dist', name), join(copy, 'dist', name));
}

function linkFolder(from, to) {
  mkdirSync(to);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) linkFolder(source, target);
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else linkSync(source, target);
  }
}

/** Follows a recipe and compares it with its target. Returns the files that the recipe changed. */
async function follow({ name, title, maxFiles, maxLinesElsewhere }) {
  const folder = join(ROOT, '.ci/recipes', name);
  if (existsSync(join(folder, 'new'))) cpSync(join(folder, 'new'), copy, { recursive: true });
  const { edits } = await import(join(folder, 'edits.mjs'));
  for (const { file, before, add } of edits) insert(join(copy, file), before, add);
  const changes = commitChanges(`feat: follow the recipe of ${name}`);
  const paths = changes.map(({ path }) => path);
  const linesElsewhere = changes
    .filter(({ isNew, path }) => !isNew && path !== MIGRATION_LIST)
    .reduce((sum, { lines }) => sum + lines, 0);
  const [count, most, unit] =
    maxFiles === undefined
      ? [linesElsewhere, maxLinesElsewhere, 'lines outside its new files and the migration']
      : [paths.length, maxFiles, 'files'];
  console.log(`${name}: ${count} ${unit}, at most ${most}`);
  for (const { path, isNew, lines } of changes) console.log(`  ${path} (${isNew ? 'new' : `+${lines}`})`);
  if (count > most) problems.push(`${name} needs ${count} ${unit}, more than ${most}`);
  const named = listNamedPaths(`\n- **${title}**`, '\n- **');
  refuseUnnamed(name, paths, named);
  for (const { text, pattern } of named)
    if (!paths.some((path) => pattern.test(path)))
      problems.push(`${name} does not need ${text}, which is named`);
  return paths;
}

/** Inserts `add` before the last occurrence of `before`; by default at the end of the file. */
function insert(file, before, add) {
  const text = readFileSync(file, 'utf8');
  const place = before === undefined ? text.length : text.lastIndexOf(before);
  if (place < 0) throw new Error(`${file} has no ${before}`);
  writeFileSync(file, text.slice(0, place) + add + text.slice(place));
}

/** Commits everything. Returns the changed files with the numbers of their added lines. */
function commitChanges(message) {
  git('add', '--all');
  const added = git('diff', '--cached', '--name-only', '--diff-filter=A').split('\n');
  const changes = git('diff', '--cached', '--numstat', '--no-renames').split('\n').filter(Boolean);
  git('-c', 'user.name=recipes', '-c', 'user.email=recipes@localhost', 'commit', '--quiet', '-m', message);
  return changes.map((line) => {
    const [lines, , path] = line.split('\t');
    return { path, lines: Number(lines), isNew: added.includes(path) };
  });
}

/** Lists the paths in backticks in a passage of CONTRIBUTING.md. `<r>` matches any name. */
function listNamedPaths(start, end) {
  const text = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
  const from = text.indexOf(start);
  if (from < 0) throw new Error(`CONTRIBUTING.md has no ${start}`);
  const passage = text.slice(from, text.indexOf(end, from + start.length));
  return [...passage.matchAll(/`([\w.<>-]+(?:\/[\w.<>-]*)+|Procfile)`/g)].map(([, path]) => ({
    text: path,
    pattern: new RegExp(
      `^${path.replaceAll('.', '\\.').replace(/<\w+>/g, '[\\w-]+')}${path.endsWith('/') ? '' : '$'}`,
    ),
  }));
}

function refuseUnnamed(name, paths, named) {
  for (const path of paths)
    if (!named.some(({ pattern }) => pattern.test(path)))
      problems.push(`${name} needs ${path}, which CONTRIBUTING.md does not name`);
}

/** Runs a command in the copy. Prints its output when it ends. */
function run(command) {
  const startedAt = Date.now();
  return new Promise((resolve) => {
    const child = spawn('bash', ['-c', command], { cwd: copy, stdio: ['ignore', 'pipe', 'pipe'] });
    const output = [];
    child.stdout.on('data', (data) => output.push(data));
    child.stderr.on('data', (data) => output.push(data));
    child.on('close', (code) => {
      console.log(`== ${command} (${Math.round((Date.now() - startedAt) / 1000)} s)`);
      if (code !== 0) {
        problems.push(command);
        console.log(Buffer.concat(output).toString());
      }
      resolve();
    });
  });
}

function git(...args) {
  return execFileSync('git', args, { cwd: copy, encoding: 'utf8' });
}
