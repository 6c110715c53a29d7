import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { type ClientReport, compareIds, findLongestPause } from '../../failover/clients/client-call.js';
import { describeMissing, PACKAGES } from '../../failover/missing-packages.js';
import {
  buildTable,
  buildVerdict,
  type FailoverResult,
  findTakeoverProblems,
} from '../../failover/report-table.js';
import { PROJECT } from '../../support/load/processes.js';

const call = (succeededAt?: number, tries = 1) => ({ tries, succeededAt });

const buildResult = (changed: Partial<ClientReport> = {}, problems: string[] = []): FailoverResult => ({
  reports: [
    {
      kind: 'REST write',
      calls: [call(100), call(900), call(4000, 2)],
      lost: 0,
      doubled: 0,
      storedOnce: 3,
      ...changed,
    },
    { kind: 'agent write (MCP)', calls: [call(500)], lost: 0, doubled: 0, storedOnce: 1 },
    { kind: 'REST read', calls: [call(500)], lost: 0, doubled: 0 },
  ],
  redisKill: { from: 0, to: 1000 },
  postgresKill: { from: 1000, to: 5000 },
  problems,
});

describe('the report of npm run failover', () => {
  it('the longest pause lies between two successes, or between one and an end of the period', () => {
    const times = [10, 400, 450, 990].map((at) => call(at));
    expect(findLongestPause(times, { from: 0, to: 1000 })).to.equal(540);
    expect(findLongestPause(times, { from: 460, to: 980 })).to.equal(520);
    expect(findLongestPause([call(undefined), call(2000)], { from: 0, to: 1000 })).to.equal(1000);
  });

  it('an acknowledged id that is not stored is lost, and a stored one that nobody got is doubled', () => {
    expect(compareIds(['a', 'b'], ['b', 'a'])).to.deep.equal({ lost: 0, doubled: 0, storedOnce: 2 });
    expect(compareIds(['a', 'b'], ['a'])).to.deep.equal({ lost: 1, doubled: 0, storedOnce: 1 });
    expect(compareIds(['a'], ['a', 'a', 'c'])).to.deep.equal({ lost: 0, doubled: 2, storedOnce: 0 });
  });

  it('the table has a row for each kind of client', () => {
    const [, , row = ''] = buildTable(buildResult());
    const cells = row.split('|').map((cell) => cell.trim());
    expect(cells.slice(1, -1)).to.deep.equal(['REST write', '3', '2', '1', '0', '0.8 s', '3.0 s', '0', '0']);
  });

  it('the last lines say that nothing is missing, or name everything that is', () => {
    expect(buildVerdict(buildResult())).to.deep.equal([
      'nothing is missing: 4 acknowledged writes, 4 stored once',
    ]);
    const result = buildResult({ lost: 2, doubled: 1, calls: [call(undefined, 3)] }, ['stream: late']);
    expect(buildVerdict(result)).to.deep.equal([
      'SOMETHING IS MISSING OR WRONG:',
      '- REST write: 2 lost',
      '- REST write: 1 doubled',
      '- REST write: 1 failed',
      '- stream: late',
    ]);
  });

  it('a kill after which no other server took over is a problem', () => {
    expect(findTakeoverProblems('PostgreSQL', 'pg1', 'pg2')).to.deep.equal([]);
    const problems = findTakeoverProblems('PostgreSQL', 'pg1', 'pg1');
    expect(buildVerdict(buildResult({}, problems))).to.deep.equal([
      'SOMETHING IS MISSING OR WRONG:',
      '- no other PostgreSQL took over: pg1 serves again',
    ]);
  });

  it('a missing program is named with the package that CI installs for it', () => {
    expect(describeMissing(() => false))
      .to.include('etcd')
      .and.include('apt-get install');
    expect(describeMissing((program) => program !== 'haproxy')).to.match(/lacks: haproxy[.,].* haproxy( |$)/);
    const ci = readFileSync(join(PROJECT, '.ci/steps'), 'utf8');
    for (const [program, name] of Object.entries(PACKAGES)) expect(ci).to.include(`\n${program} ${name}\n`);
  });
});
