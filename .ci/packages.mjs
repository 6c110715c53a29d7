// Reads from the lockfile which packages a deployment has: the production packages, and what the
// pages for the browser are built from.
import { existsSync, readdirSync, readFileSync } from 'node:fs';

const ROOT = new URL('../', import.meta.url);
const IMPORT = /(?:\bfrom|\bimport) '((?:@[\w.-]+\/)?[\w-][\w.-]*)[^']*'/g;

const readText = (path) => readFileSync(new URL(path, ROOT), 'utf8');
export const readJson = (path) => JSON.parse(readText(path));

/** Lists the lockfiles: the product's, and those of what only tests install. */
export function listLockfiles() {
  const ofTests = readdirSync(new URL('test', ROOT)).map((folder) => `test/${folder}/package-lock.json`);
  return ['package-lock.json', ...ofTests.filter((path) => existsSync(new URL(path, ROOT)))];
}

/** The package's name in a path of the lockfile: node_modules/a/node_modules/@b/c → @b/c. */
export const nameOf = (path) => path.split('node_modules/').at(-1);

/** Lists the packages that the pages for the browser import, without those that build them. */
export function listBrowserPackages() {
  const files = readdirSync(new URL('dashboard', ROOT), { recursive: true });
  const sources = files.filter((file) => /\.tsx?$/.test(file) && !file.endsWith('vite.config.ts'));
  const names = sources.flatMap((file) =>
    [...readText(`dashboard/${file}`).matchAll(IMPORT)].map(([, name]) => name),
  );
  return [...new Set(names)];
}

/** Finds the package that `require(name)` finds in the package at `from`. */
function resolvePath(packages, from, name) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('node_modules/') - 1))) {
    const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (packages[path]) return path;
    if (folder === '') return undefined;
  }
}

/** Lists the paths of all packages in a deployment, also those that only other systems install. */
export function listShippedPaths(packages, browserPackages) {
  const isProduction = (path) => path !== '' && !packages[path].dev && !packages[path].devOptional;
  const shipped = new Set(Object.keys(packages).filter(isProduction));
  const left = browserPackages.map((name) => resolvePath(packages, '', name)).filter(Boolean);
  for (let path = left.pop(); path !== undefined; path = left.pop()) {
    if (shipped.has(path)) continue;
    shipped.add(path);
    const { dependencies = {}, peerDependencies = {} } = packages[path];
    for (const name of Object.keys({ ...dependencies, ...peerDependencies })) {
      const found = resolvePath(packages, path, name);
      if (found) left.push(found);
    }
  }
  return [...shipped];
}
