// Checks the packages of the lockfiles against .ci/reviewed-packages.json: licences of what a
// deployment has, and install scripts of everything that is installed.
import { listBrowserPackages, listLockfiles, listShippedPaths, nameOf, readJson } from './packages.mjs';

/** True if an SPDX expression asks for nothing but allowed licences. */
export function isAllowed(expression, allowed) {
  // Parentheses inside an expression are refused: none of our packages has them.
  const inner = /^\((.*)\)$/.exec(expression)?.[1] ?? expression;
  if (/[()]/.test(inner)) return false;
  const terms = inner.split(' OR ');
  return terms.some((term) => term.split(' AND ').every((licence) => allowed.includes(licence)));
}

export function findLicenceProblems(packages, paths, { licences, licencesOfPackages }) {
  const usedEntries = new Set();
  const problems = paths.flatMap((path) => {
    const name = nameOf(path);
    const reviewed = licencesOfPackages[name];
    if (reviewed) usedEntries.add(name);
    const licence = packages[path].license ?? reviewed?.licence;
    if (!licence) return [`${name} states no licence. Read its files, then add it to licencesOfPackages.`];
    return isAllowed(licence, licences) ? [] : [`${name} has the licence ${licence}, which is not allowed.`];
  });
  const unused = Object.keys(licencesOfPackages).filter((name) => !usedEntries.has(name));
  return [...problems, ...unused.map((name) => `licencesOfPackages names ${name}, which no deployment has.`)];
}

const MIN_REASON_CHARS = 30;

const matches = (pattern, name) =>
  pattern.endsWith('/*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;

/** @param locks the `packages` of all lockfiles */
export function findInstallScriptProblems(locks, { installScripts }) {
  const withScript = locks.flatMap((packages) =>
    Object.keys(packages).filter((path) => path !== '' && packages[path].hasInstallScript),
  );
  const names = [...new Set(withScript.map(nameOf))];
  const patterns = Object.keys(installScripts);
  const unknown = names.filter((name) => !patterns.some((pattern) => matches(pattern, name)));
  return [
    ...unknown.map(
      (name) => `${name} has an install script. Read it, then add it to installScripts with the reason.`,
    ),
    ...patterns
      .filter((pattern) => !names.some((name) => matches(pattern, name)))
      .map((pattern) => `installScripts names ${pattern}, which has no install script any more.`),
    ...patterns
      .filter((pattern) => installScripts[pattern].length < MIN_REASON_CHARS)
      .map((pattern) => `installScripts gives no reason for ${pattern}.`),
  ];
}

if (process.argv[1] === import.meta.filename) {
  const reviewed = readJson('.ci/reviewed-packages.json');
  const { packages } = readJson('package-lock.json');
  const locks = listLockfiles().map((path) => readJson(path).packages);
  const problems = [
    ...findLicenceProblems(packages, listShippedPaths(packages, listBrowserPackages()), reviewed),
    ...findInstallScriptProblems(locks, reviewed),
  ];
  if (problems.length > 0) {
    console.error(`Packages to review (.ci/reviewed-packages.json):\n  ${problems.join('\n  ')}`);
    process.exitCode = 1;
  }
}
