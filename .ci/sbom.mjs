// Writes a CycloneDX SBOM of what a deployment has. npm alone omits what the pages for the browser
// are built from, because those packages are development dependencies.
// Usage: npm run --silent sbom > sbom.json
import { execFileSync } from 'node:child_process';
import { listBrowserPackages, listShippedPaths, nameOf, readJson } from './packages.mjs';

const { name, version } = readJson('package.json');
const { packages } = readJson('package-lock.json');

const args = ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx', '--sbom-type', 'application'];
const sbom = JSON.parse(execFileSync('npm', args, { encoding: 'utf8', maxBuffer: 1e8 }));

const paths = listShippedPaths(packages, listBrowserPackages());
const shipped = new Set(paths.map((path) => `${nameOf(path)}@${packages[path].version}`));
const isShipped = (component) => shipped.has(`${component.name}@${component.version}`);

sbom.metadata.component.name = name;
const { licencesOfPackages } = readJson('.ci/reviewed-packages.json');
sbom.components = sbom.components.filter(isShipped).map((component) => {
  const reviewed = licencesOfPackages[component.name];
  return reviewed ? { ...component, licenses: [{ license: { id: reviewed.licence } }] } : component;
});
const references = new Set([
  `${name}@${version}`,
  ...sbom.components.map((component) => component['bom-ref']),
]);
sbom.dependencies = sbom.dependencies
  .filter(({ ref }) => references.has(ref))
  .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((one) => references.has(one)) }));
process.stdout.write(`${JSON.stringify(sbom, undefined, 2)}\n`);
