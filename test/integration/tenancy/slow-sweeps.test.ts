import { expect } from 'chai';
import { checkAccounts } from '../../../bin/commands/doctor-clock.js';
import type { Transaction } from '../../../shared/platform/postgres/database.js';
import { sweepTenantSet } from '../../../workers/sweeps/sweep-tenants.js';
import { findTasksWithout } from '../../support/clock.js';
import type { TestStack } from '../../support/stack.js';
import { useStack } from '../../support/use-stack.js';

interface SweepTry {
  tenantIds: string[];
  queryTimeout: string;
}

/**
 * A sweep that records its tries. For an account in `slow`, the sweep's query always runs into its
 * timeout.
 */
class SlowSweep {
  readonly tries: SweepTry[] = [];
  slow: string[] = [];

  constructor(
    private readonly stack: TestStack,
    readonly task: string,
  ) {}

  async runPass(tenantIds: string[]): Promise<void> {
    this.tries.length = 0;
    await sweepTenantSet(this.stack.runtime, { task: this.task, tenantIds, work: (tx) => this.work(tx) });
  }

  /**
   * Lists how many accounts each try of the pass had that ran into its timeout, with that timeout.
   */
  listSlowTries(): [accounts: number, queryTimeout: string][] {
    return this.tries
      .filter(({ tenantIds }) => this.slow.some((id) => tenantIds.includes(id)))
      .map(({ tenantIds, queryTimeout }) => [tenantIds.length, queryTimeout]);
  }

  /** Records that the account has been failing for `failingFor`, and failed last `lastTry` ago. */
  async recordFailure(id: string, failingFor: string, lastTry: string): Promise<void> {
    await this.stack.rows(
      id,
      `insert into sweep_faults (tenant_id, task, error, failed_since, last_failed_at)
       values ($1, $2, 'slow', now() - $3::interval, now() - $4::interval)`,
      [id, this.task, failingFor, lastTry],
    );
  }

  isRecorded = async (id: string) => (await findTasksWithout(this.stack, id)).includes(this.task);

  private async work(tx: Transaction): Promise<void> {
    const [row] = await tx.query<{ ids: string[]; statement_timeout: string }>({
      text: `select array(select tenant_id::text from tenants order by tenant_id) as ids,
               current_setting('statement_timeout') as statement_timeout`,
    });
    const ids = row?.ids ?? [];
    this.tries.push({ tenantIds: ids, queryTimeout: row?.statement_timeout ?? '' });
    if (this.slow.some((id) => ids.includes(id))) await tx.query({ text: 'select pg_sleep(20)' });
  }
}

describe('accounts that are slow in a sweep', () => {
  const stack = useStack({ worker: false });

  const makeTenants = async (count: number) => {
    const tenants = await Promise.all(Array.from({ length: count }, () => stack.createTenant()));
    return tenants.map(({ id }) => id).sort();
  };

  it('a slow account costs the clock one long query and short ones, then one short query, then nothing for a while', async () => {
    const tenantIds = await makeTenants(8);
    const bad = tenantIds[2] as string;
    const sweep = new SlowSweep(stack, 'slow-once');
    sweep.slow = [bad];
    await sweep.runPass(tenantIds);
    expect(sweep.listSlowTries()).to.deep.equal([
      [8, '5s'],
      [4, '1s'],
      [2, '1s'],
      [1, '1s'],
    ]);
    expect(await sweep.isRecorded(bad)).to.equal(true);
    for (const id of tenantIds) if (id !== bad) expect(await sweep.isRecorded(id)).to.equal(false);

    await sweep.runPass(tenantIds);
    expect(sweep.tries.filter((one) => one.tenantIds.includes(bad))).to.deep.equal([
      { tenantIds: [bad], queryTimeout: '1s' },
    ]);
    await sweep.runPass(tenantIds);
    expect(sweep.tries.map((one) => one.tenantIds)).to.deep.equal([tenantIds.filter((id) => id !== bad)]);
    const doctor = await checkAccounts(stack.runtime.db).catch((error: Error) => error.message);
    expect(doctor).to.include(`${bad} is left out of slow-once since`);
  });

  it('a slow account is tried again after it has waited for as long as it had failed, at most 15 minutes', async () => {
    const cases = [
      { failingFor: '10 minutes', lastTry: '4 minutes', isTried: false },
      { failingFor: '10 minutes', lastTry: '6 minutes', isTried: true },
      { failingFor: '5 hours', lastTry: '14 minutes', isTried: false },
      { failingFor: '5 hours', lastTry: '16 minutes', isTried: true },
      { failingFor: '1 second', lastTry: '1 second', isTried: true },
    ];
    const tenantIds = await makeTenants(cases.length + 1);
    const sweep = new SlowSweep(stack, 'waits-grow');
    for (const [index, { failingFor, lastTry }] of cases.entries())
      await sweep.recordFailure(tenantIds[index] as string, failingFor, lastTry);
    await sweep.runPass(tenantIds);
    const tried = sweep.tries.flatMap((one) => one.tenantIds);
    for (const [index, { isTried, ...times }] of cases.entries())
      expect(tried.includes(tenantIds[index] as string), JSON.stringify(times)).to.equal(isTried);
  });

  it('an account rejoins the sweep of the others after a successful try, which has more time after a long wait', async () => {
    const [recovered, healthy] = (await makeTenants(2)) as [string, string];
    const sweep = new SlowSweep(stack, 'mended');
    await sweep.recordFailure(recovered, '2 hours', '20 minutes');
    await sweep.runPass([recovered, healthy]);
    expect(sweep.tries).to.deep.include({ tenantIds: [recovered], queryTimeout: '5s' });
    expect(await sweep.isRecorded(recovered)).to.equal(false);
    await sweep.runPass([recovered, healthy]);
    expect(sweep.tries.map((one) => one.tenantIds)).to.deep.equal([[recovered, healthy]]);
  });

  it('with many slow accounts a pass ends in bounded time and records only slow ones, and later passes find the rest', async () => {
    const tenantIds = await makeTenants(16);
    const sweep = new SlowSweep(stack, 'many-slow');
    sweep.slow = tenantIds.filter((_, index) => index % 2 === 0);
    const recorded = async () => {
      const flags = await Promise.all(tenantIds.map(sweep.isRecorded));
      return tenantIds.filter((_, index) => flags[index]);
    };
    // To find all eight slow accounts, one pass would need a query of 5 s and 22 queries of 1 s.
    // The pass must end earlier.
    await sweep.runPass(tenantIds);
    const seconds = sweep.listSlowTries().map(([, queryTimeout]) => Number.parseInt(queryTimeout, 10));
    expect(seconds.reduce((sum, one) => sum + one)).to.be.below(19);
    const first = await recorded();
    expect(first.length).to.be.within(1, sweep.slow.length - 1);
    await sweep.runPass(tenantIds);
    const second = await recorded();
    expect(second.length).to.be.above(first.length);
    expect(sweep.slow).to.include.members(second);
  });
});
