/**
 * What `npm run soak` makes faults with: a PostgreSQL with a standby, a slow disk, and clocks that
 * step.
 */
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Clocks, findFakeTime } from '../../soak/clocks.js';
import { PostgresPair, runQueries } from '../../soak/postgres.js';
import { NO_LIMIT, SLOW_DISK_NEEDS, SlowDisk, SoakStores } from '../../soak/stores.js';
import { DeployedService } from '../../support/load/deployed-service.js';
import { useProcesses } from '../../support/load/processes.js';
import { eventually } from '../../support/poll.js';
import { runRedisCli } from '../../support/redis/programs.js';
import { getFreePort, hasRedisServer } from '../../support/stores.js';

const STEP_S = 50;
const TOLERANCE_MS = 10_000;
const SLOW_MS = 2000;
const WRITES_PER_SECOND = 5;
/** More writes than the limit lets through, and far fewer than the disk does without one. */
const MAX_WRITES = 2 * WRITES_PER_SECOND * (SLOW_MS / 1000);
const SCRIPT = `require('http').createServer((request, response) => response.end(String(Date.now())))
  .listen(process.env.PORT, '127.0.0.1')`;
const IS_FAKETIME_MISSING = !findFakeTime() && process.env.CI !== 'true';

function findMedian(times: readonly number[] = []): number {
  return [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;
}

describe('a PostgreSQL with a standby', function () {
  this.timeout(120_000);
  let folder: string;
  let pair: PostgresPair;

  before(async function () {
    // The pair finds the PostgreSQL executable through /proc.
    if (process.platform !== 'linux') this.skip();
    folder = mkdtempSync(join(tmpdir(), 'tow-pair-'));
    chmodSync(folder, 0o755);
    pair = await PostgresPair.start(folder);
  });
  after(async () => {
    await pair?.stop();
    if (folder) rmSync(folder, { recursive: true, force: true });
  });

  for (const signal of ['SIGKILL', 'SIGQUIT'] as const)
    it(`after ${signal} of the primary, its standby has every committed row, and gets a standby itself`, async () => {
      const table = `kept_${signal.toLowerCase()}`;
      await runQueries(pair.superuserUrl, [
        `create table ${table} as select generate_series(1, 5000) as nth`,
      ]);
      const { port } = pair;
      expect(await pair.end(signal)).to.equal(true);
      expect(pair.port).not.to.equal(port);
      expect(await runQueries(pair.superuserUrl, [`select from ${table}`])).to.equal(5000);
      await pair.complete();
      expect(
        await runQueries(pair.superuserUrl, ["select from pg_stat_replication where sync_state = 'sync'"]),
      ).to.equal(1);
    });
});

describe('a slow disk', function () {
  this.timeout(120_000);
  const temporary = process.env.TMPDIR;
  let folder = '';
  let disk: SlowDisk | undefined;
  let stores: SoakStores | undefined;

  before(async function () {
    folder = mkdtempSync(join(tmpdir(), 'tow-slow-'));
    disk = SlowDisk.mount(folder, (line) => void process.stdout.write(`    ${line}\n`));
    if (!disk) process.stdout.write(`      skipped: the slow disk, ${SLOW_DISK_NEEDS}\n`);
    if (!disk || !hasRedisServer()) return this.skip();
    // As for `npm run soak`, all files of the stores are on this disk.
    process.env.TMPDIR = folder;
    stores = await SoakStores.start({ slowDisk: disk });
  });
  after(async () => {
    if (temporary === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = temporary;
    await stores?.stop();
    disk?.unmount();
    rmSync(folder, { recursive: true, force: true });
  });

  it('while it is slow, few commits of PostgreSQL get through, and many again afterwards', async () => {
    const countCommits = async () => {
      let count = 0;
      for (const until = Date.now() + SLOW_MS; Date.now() < until; count += 1)
        await stores?.query('insert into commits values (1)');
      return count;
    };
    await stores?.query('create table commits (id int)');
    disk?.limit(WRITES_PER_SECOND);
    const count = await countCommits();
    disk?.limit(NO_LIMIT);
    expect(count).to.be.at.most(MAX_WRITES);
    // A busy machine may need several tries. With the limit, none gets that far.
    await eventually('many commits', async () => (await countCommits()) > MAX_WRITES);
  });

  it('how slow it is, is measured by writes that are flushed', async () => {
    const { before: usual, during } = (await disk?.slowDown(WRITES_PER_SECOND, SLOW_MS)) ?? {};
    expect(during).to.have.length.within(1, MAX_WRITES);
    expect(findMedian(usual)).to.be.below(findMedian(during) / 2);
  });

  it('has the appended file of Redis, which its limit counts for', async () => {
    const cli = (...args: string[]) => runRedisCli(['-p', `${stores?.redis.way?.port}`, ...args]);
    expect(await cli('config', 'get', 'appendonly')).to.equal('appendonly\nyes');
    expect(await cli('config', 'get', 'dir')).to.include(`\n${folder}/`);
    const [, pid] = /process_id:(\d+)/.exec(await cli('info', 'server')) ?? [];
    expect(readFileSync(`/proc/${pid}/cgroup`, 'utf8')).to.match(/:blkio:.*tow-slow-disk/);
  });
});

describe(`a clock that steps${IS_FAKETIME_MISSING ? ' (skipped: libfaketime is not installed)' : ''}`, function () {
  this.timeout(60_000);
  const processes = useProcesses();

  before(function () {
    if (IS_FAKETIME_MISSING) this.skip();
  });

  it('the clock of one process runs ahead, back and right again', async () => {
    const clocks = new Clocks(findFakeTime() ?? '');
    const port = await getFreePort();
    const service = new DeployedService(processes, ['node', '-e', SCRIPT], clocks.buildSettings(port), port);
    await service.start();
    const isAhead = async (seconds: number) => {
      const ahead = Number(await (await fetch(service.origin)).text()) - Date.now();
      return Math.abs(ahead - seconds * 1000) < TOLERANCE_MS;
    };
    for (const seconds of [STEP_S, -STEP_S]) {
      clocks.set(service, seconds);
      await eventually(`the clock to be ${seconds} s ahead`, () => isAhead(seconds));
    }
    clocks.setRight(service);
    await eventually('the clock to be right', () => isAhead(0));
    await service.stop('SIGKILL');
    clocks.stop();
  });
});
