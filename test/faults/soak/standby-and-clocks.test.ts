/** What `npm run soak` makes faults with: a PostgreSQL with a standby, and clocks that step. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Clocks, findFakeTime } from '../../soak/clocks.js';
import { PostgresPair, runQueries } from '../../soak/postgres.js';
import { DeployedService } from '../../support/load/deployed-service.js';
import { useProcesses } from '../../support/load/processes.js';
import { eventually } from '../../support/poll.js';
import { getFreePort } from '../../support/stores.js';

const STEP_S = 50;
const TOLERANCE_MS = 10_000;
const SCRIPT = `require('http').createServer((request, response) => response.end(String(Date.now())))
  .listen(process.env.PORT, '127.0.0.1')`;
const IS_FAKETIME_MISSING = !findFakeTime() && process.env.CI !== 'true';

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
