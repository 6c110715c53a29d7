import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { SCHEDULES } from '../../../workers/clock/processor.js';
import { PROJECT } from '../../support/load/processes.js';
import { ALERT_TESTS, ALERTS, readAlerts, readDashboard } from '../../support/text/promql.js';
import { readSource } from '../../support/text/source-text.js';

/** True if the tests must skip promtool. CI installs the package `prometheus` and never skips. */
const IS_PROMTOOL_MISSING = spawnSync('promtool', ['--version']).status !== 0 && process.env.CI !== 'true';

/** Runs promtool in the project's folder. Returns its output if it fails. */
function findPromtoolProblem(...args: string[]): string | undefined {
  const { status, stdout, stderr, error } = spawnSync('promtool', args, { cwd: PROJECT, encoding: 'utf8' });
  return status === 0 ? undefined : `${error ?? ''}${stdout}${stderr}`;
}

describe('the alert rules of docs/deploy', () => {
  const alerts = readAlerts();
  const [quiet = '', ...firing] = readSource(ALERT_TESTS)
    .split(/^ +- interval:/m)
    .slice(1);

  it('every alert has a name, an expression, a severity and a runbook', () => {
    expect(alerts.length).to.be.at.least(10);
    expect(readSource(ALERTS).match(/- alert:/g)).to.have.length(alerts.length);
    for (const { name, expression, severity, runbook } of alerts) {
      expect(name).to.match(/^Tow[A-Z]\w+$/);
      expect(expression, name).to.match(/\b(tow_|up\{)/);
      expect(['page', 'ticket'], name).to.include(severity);
      expect(runbook, name).to.match(/^docs\/guides\/runbooks\.md#[a-z0-9-]+$/);
    }
  });

  it('every alert has a unit test in which it fires, and one in which it stays quiet', () => {
    for (const { name } of alerts) {
      expect(quiet, name).to.include(`alertname: ${name}, exp_alerts: []`);
      expect(
        firing.filter((test) => new RegExp(`alertname: ${name}\\n +exp_alerts:\\n`).test(test)),
        name,
      ).to.have.length.above(0);
    }
  });

  it('TowScheduleLate waits for three intervals of the slowest schedule', () => {
    const threshold = Number(
      /> (\d+)/.exec(alerts.find(({ name }) => name === 'TowScheduleLate')!.expression)?.[1],
    );
    const slowest = Math.max(...SCHEDULES.map(({ everyMs }) => everyMs));
    expect(threshold).to.equal((3 * slowest) / 1000);
  });

  it('promtool accepts the rules and the configuration that loads them', function () {
    if (IS_PROMTOOL_MISSING) return this.skip();
    expect(findPromtoolProblem('check', 'rules', ALERTS)).to.equal(undefined);
    expect(findPromtoolProblem('check', 'config', 'docs/deploy/prometheus/prometheus.yml')).to.equal(
      undefined,
    );
  });

  it('promtool confirms that each alert fires when it should, and none while the service is healthy', function () {
    if (IS_PROMTOOL_MISSING) return this.skip();
    this.timeout(60_000);
    expect(findPromtoolProblem('test', 'rules', ALERT_TESTS)).to.equal(undefined);
  });
});

describe('the Grafana dashboard of docs/deploy', () => {
  it('every panel has a title of its own, a query and a place', () => {
    const { panels } = readDashboard();
    expect(panels.length).to.be.at.least(10);
    expect(new Set(panels.map(({ title }) => title)).size).to.equal(panels.length);
    for (const { title, targets } of panels) expect(targets, title).to.have.length.above(0);
  });
});
