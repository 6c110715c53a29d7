import { execFileSync } from 'node:child_process';
import { expect } from 'chai';
// @ts-expect-error A plain script without types.
import { findInstallScriptProblems, findLicenceProblems, isAllowed } from '../../../.ci/check-packages.mjs';
// @ts-expect-error A plain script without types.
import { listShippedPaths } from '../../../.ci/packages.mjs';
import { PROJECT } from '../../support/load/processes.js';

const REASON = 'It only prints a warning about versions.';

describe('the check of licences', () => {
  const reviewed = {
    licences: ['MIT', 'OFL-1.1'],
    licencesOfPackages: { bare: { licence: 'MIT', why: '' } },
  };
  const findProblems = (packages: Record<string, { license?: string }>) =>
    findLicenceProblems(packages, Object.keys(packages), reviewed);

  it('accepts allowed licences, and what a person read in a package that states none', () => {
    const packages = { 'node_modules/a': { license: 'MIT AND OFL-1.1' }, 'node_modules/bare': {} };
    expect(findProblems(packages)).to.deep.equal([]);
  });

  it('refuses a licence that is not allowed, a missing one, and a review that nothing needs', () => {
    const packages = {
      'node_modules/a': { license: 'AGPL-3.0-only' },
      'node_modules/a/node_modules/@b/c': {},
    };
    expect(findProblems(packages)).to.deep.equal([
      'a has the licence AGPL-3.0-only, which is not allowed.',
      '@b/c states no licence. Read its files, then add it to licencesOfPackages.',
      'licencesOfPackages names bare, which no deployment has.',
    ]);
  });

  it('one licence of OR suffices, all of AND are needed, and nested expressions are refused', () => {
    const allowed = ['MIT', 'ISC'];
    expect(isAllowed('(MIT OR GPL-3.0)', allowed)).to.equal(true);
    expect(isAllowed('MIT AND ISC', allowed)).to.equal(true);
    expect(isAllowed('MIT AND GPL-3.0', allowed)).to.equal(false);
    expect(isAllowed('(MIT AND (ISC OR GPL-3.0))', allowed)).to.equal(false);
    expect(isAllowed('(MIT OR ISC) AND GPL-3.0', allowed)).to.equal(false);
    expect(isAllowed('GPL-3.0 AND (MIT OR ISC)', allowed)).to.equal(false);
  });
});

describe('the check of install scripts', () => {
  const locks = [
    {
      '': { hasInstallScript: true },
      'node_modules/@x/one': { hasInstallScript: true },
      'node_modules/y': {},
    },
    { 'node_modules/z': { hasInstallScript: true } },
  ];

  it('accepts scripts that have a reason, by name or by scope', () => {
    expect(findInstallScriptProblems(locks, { installScripts: { '@x/*': REASON, z: REASON } })).to.deep.equal(
      [],
    );
  });

  it('refuses a script that nobody has read, a review without a reason, and one that nothing needs', () => {
    expect(findInstallScriptProblems(locks, { installScripts: { z: 'fine', y: REASON } })).to.deep.equal([
      '@x/one has an install script. Read it, then add it to installScripts with the reason.',
      'installScripts names y, which has no install script any more.',
      'installScripts gives no reason for z.',
    ]);
  });
});

describe('the packages of a deployment', () => {
  it('are the production packages, and what the pages for the browser need', () => {
    const packages = {
      '': {},
      'node_modules/koa': {},
      'node_modules/react': { dev: true, dependencies: { scheduler: '1' } },
      'node_modules/scheduler': { dev: true },
      'node_modules/react/node_modules/scheduler': { dev: true },
      'node_modules/mocha': { dev: true },
    };
    expect(listShippedPaths(packages, ['react'])).to.have.members([
      'node_modules/koa',
      'node_modules/react',
      'node_modules/react/node_modules/scheduler',
    ]);
  });

  it('npm run sbom writes a CycloneDX SBOM of them, with licences and hashes', function () {
    this.timeout(60_000);
    const output = execFileSync('npm', ['run', '--silent', 'sbom'], {
      cwd: PROJECT,
      encoding: 'utf8',
      maxBuffer: 1e8,
    });
    const sbom = JSON.parse(output) as {
      bomFormat: string;
      metadata: { component: { name: string } };
      components: { name: string; hashes?: object[]; licenses?: object[] }[];
    };
    const names = sbom.components.map(({ name }) => name);
    expect([sbom.bomFormat, sbom.metadata.component.name]).to.deep.equal(['CycloneDX', 'tow-dispatch']);
    expect(names).to.include.members(['koa', 'pg', 'react', '@mantine/core']);
    expect(names.filter((name) => ['mocha', 'vite', 'typescript'].includes(name))).to.deep.equal([]);
    const withoutFacts = sbom.components.filter(
      ({ licenses, hashes }) => !licenses?.length || !hashes?.length,
    );
    expect(withoutFacts.map(({ name }) => name)).to.deep.equal([]);
  });
});
