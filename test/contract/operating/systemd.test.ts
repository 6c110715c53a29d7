import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { PROJECT, readProcfile } from '../../support/load/processes.js';
import { readSource } from '../../support/text/source-text.js';

const UNITS = 'docs/deploy/systemd';

const readUnit = (type: string) => readSource(`${UNITS}/tow-${type}.service`);

/** Checks the units with systemd, with the Node.js of this machine in place of theirs. */
function findProblems(change: (unit: string) => string = (unit) => unit): string {
  const folder = mkdtempSync(join(tmpdir(), 'tow-units-'));
  cpSync(join(PROJECT, UNITS), folder, { recursive: true });
  const names = readdirSync(folder).filter((name) => name.endsWith('.service'));
  for (const name of names) {
    const path = join(folder, name);
    writeFileSync(path, change(readFileSync(path, 'utf8').replace('/usr/bin/node', process.execPath)));
  }
  const env = { ...process.env, SYSTEMD_UNIT_PATH: `${folder}:` };
  const args = ['verify', '--man=no', '--recursive-errors=no', ...names.map((name) => join(folder, name))];
  const { stdout, stderr, status } = spawnSync('systemd-analyze', args, { env, encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  return status === 0 ? stderr : `exit code ${status}: ${stdout}${stderr}`;
}

describe('the systemd units of docs/deploy', () => {
  it('every process of the Procfile has a unit with its command line, and there is no other unit', async () => {
    const commandLines = await readProcfile();
    const units = readdirSync(join(PROJECT, UNITS)).filter((name) => name.endsWith('.service'));
    expect(units).to.have.members(Object.keys(commandLines).map((type) => `tow-${type}.service`));
    for (const [type, command] of Object.entries(commandLines))
      expect(readUnit(type)).to.include(`ExecStart=/usr/bin/${command.join(' ')}\n`);
  });

  it('every unit but that of release has a port of its own, and Prometheus reads ports of units', async () => {
    const types = Object.keys(await readProcfile()).filter((type) => type !== 'release');
    const targets = [
      ...readSource('docs/deploy/prometheus/prometheus.yml').matchAll(/127\.0\.0\.1:(\d+) # (\w+)/g),
    ];
    const ports = types.map((type) => [/^Environment=PORT=(\d+)$/m.exec(readUnit(type))?.[1], type]);
    // A new queue may not yet be among the targets.
    expect(targets).to.have.length.above(types.length / 2);
    expect(ports).to.deep.include.members(targets.map(([, port, type]) => [port, type]));
    expect(new Set(ports.map(([port]) => port)).size).to.equal(types.length);
  });

  it('systemd accepts every unit', function () {
    if (spawnSync('systemd-analyze', ['--version']).status !== 0) return this.skip();
    this.timeout(60_000);
    expect(findProblems()).to.equal('');
    expect(findProblems((unit) => unit.replace('Restart=always', 'Restart=sometimes'))).to.include(
      'sometimes',
    );
  });
});
