import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Command, CommandResult } from '../../shared/contracts/command.js';
import { createLogger } from '../../shared/platform/logger.js';
import { type Database, openDatabase } from '../../shared/platform/postgres.js';
import { leasePending } from '../../shared/resources/operations/pending.js';
import { readOperation, storeOperation } from '../../shared/resources/operations/store.js';
import { createTenantPair, newTenantPair } from '../../shared/resources/tenants/create-tenant.js';
import { countAttempt } from '../../workers/writes/attempts.js';
import { type BatchContext, runSuspects } from '../../workers/writes/isolate.js';
import { batchContextOf } from '../support/batch-context.js';
import { commandOf } from '../support/commands.js';
import { useProcesses } from '../support/processes.js';
import { scriptCommand } from '../support/run-script.js';
import { createDatabase } from '../support/stores.js';

const MARK = 'kills its worker';

interface AttemptRow {
  command_id: string;
  attempts: number;
  parked: boolean;
  command: Command;
}

describe('a command that keeps killing its worker', () => {
  const processes = useProcesses();
  let databaseUrl: string;
  let db: Database;
  let context: BatchContext;
  let tenant: string;
  let order: string[];

  before(async () => {
    databaseUrl = await createDatabase();
    const logger = createLogger({ level: 'silent', name: 'test', pretty: false });
    db = openDatabase({ databaseUrl, poolSize: 4, applicationName: 'test', logger });
    context = {
      ...batchContextOf({ db, logger }),
      beforeCommit: (commands) => order.push(...commands.map(({ id }) => id)),
    };
  });
  beforeEach(async () => {
    const pair = newTenantPair();
    await db.transaction([pair.live, pair.sandbox], (tx) => createTenantPair(tx, pair, { name: 'T' }));
    tenant = pair.live;
    order = [];
  });
  after(() => db.close());

  const job = (notes: string) => commandOf('work_order.create', tenant, { service_type: 'tow', notes });

  async function attempts(): Promise<AttemptRow[]> {
    return db.read<AttemptRow>(tenant, {
      text: 'select command_id, attempts, parked_at is not null as parked, command from command_attempts order by command_id',
    });
  }

  async function notesStored(): Promise<string[]> {
    const rows = await db.read<{ notes: string }>(tenant, {
      text: 'select notes from work_orders order by notes',
    });
    return rows.map((row) => row.notes);
  }

  it('is tried three times, then parked, and its neighbours are committed the first time round', async () => {
    const [first, killer, last] = [job('first'), job(MARK), job('last')];
    const file = join(await processes.folder(), 'commands.json');
    writeFileSync(file, JSON.stringify([first, killer, last]));
    const tryOnce = () =>
      processes.run({ command: scriptCommand('test/support/suspects-process.ts', databaseUrl, file, MARK) });

    // The first worker meets the killer before `last`: nobody knows yet which one it is.
    expect((await tryOnce()).signal).to.equal('SIGKILL');
    expect(await notesStored()).to.deep.equal(['first']);
    expect((await attempts()).map(({ command_id, attempts: count }) => [command_id, count])).to.deep.equal([
      [killer.id, 1],
    ]);
    // From the second on the least suspect run first.
    for (const count of [2, 3]) {
      expect((await tryOnce()).signal).to.equal('SIGKILL');
      expect(await notesStored()).to.deep.equal(['first', 'last']);
      const [row] = await attempts();
      expect(row).to.deep.include({ command_id: killer.id, attempts: count, parked: false });
    }
    const { code, output } = await tryOnce();
    expect(code, output).to.equal(0);
    const results = new Map((JSON.parse(output) as CommandResult[]).map((result) => [result.id, result]));
    expect(results.get(first.id)).to.include({ ok: true, status: 201 });
    expect(results.get(last.id)).to.include({ ok: true, status: 201 });
    expect(results.get(killer.id)).to.deep.include({ ok: false });
    const [parked, ...others] = await attempts();
    expect(others).to.deep.equal([]);
    expect(parked).to.deep.include({ command_id: killer.id, parked: true });
    expect(parked?.command, 'kept whole, to be run again').to.deep.equal(JSON.parse(JSON.stringify(killer)));
    expect(await notesStored(), 'nothing of it was stored').to.deep.equal(['first', 'last']);
  });

  it('counts every try before it is made, in a commit of its own', async () => {
    const command = job('x');
    for (const count of [1, 2, 3]) {
      expect(await countAttempt(db, command), `try ${count}`).to.equal(true);
      expect(await attempts()).to.have.length(1);
      expect((await attempts())[0]).to.deep.include({ attempts: count, parked: false });
    }
    expect(await countAttempt(db, command)).to.equal(false);
    expect((await attempts())[0]).to.deep.include({ parked: true });
    expect(await countAttempt(db, command), 'parked for good').to.equal(false);
  });

  it('is never tried beside suspects of another job, so that no neighbour is counted for its deaths', async () => {
    let suspected = 0;
    const most: number[] = [];
    const watched = {
      ...context,
      db: new Proxy(db, {
        get(target, member) {
          const own = Reflect.get(target, member, target) as unknown;
          if (member !== 'transaction') return typeof own === 'function' ? own.bind(target) : own;
          return async (...args: Parameters<Database['transaction']>) => {
            const result = await target.transaction(...args);
            suspected = (await attempts()).length;
            most.push(suspected);
            return result;
          };
        },
      }),
    };
    await Promise.all(['a', 'b', 'c'].map((notes) => runSuspects(watched, [job(notes), job(notes)])));
    expect(await notesStored()).to.deep.equal(['a', 'a', 'b', 'b', 'c', 'c']);
    expect(Math.max(...most)).to.equal(1);
    expect(suspected).to.equal(0);
  });

  it('runs the least suspect first, and forgets the tries of those that come through', async () => {
    const [calm, shaky, shakier] = [job('calm'), job('shaky'), job('shakier')] as [Command, Command, Command];
    await countAttempt(db, shakier);
    await countAttempt(db, shakier);
    await countAttempt(db, shaky);
    const results = await runSuspects(context, [shakier, shaky, calm]);
    expect(order).to.deep.equal([calm.id, shaky.id, shakier.id]);
    expect(results.every((result) => result.ok)).to.equal(true);
    expect(await attempts()).to.deep.equal([]);
  });

  it('is told as failed to who asks for its operation, and is not given to the queue again', async () => {
    const [killer, waiting] = [job(MARK), job('waiting')];
    await storeOperation(db, killer, -1);
    await storeOperation(db, waiting, -1);
    for (let tries = 0; tries < 4; tries += 1) await countAttempt(db, killer);
    const [result] = await runSuspects(context, [killer]);
    expect(result).to.deep.include({ id: killer.id, ok: false });
    expect(order, 'it was not run').to.deep.equal([]);

    const view = await readOperation(db, tenant, killer.id);
    expect(view).to.deep.include({ id: killer.id, status: 'failed' });
    expect(view?.result && !view.result.ok && view.result.error.code).to.equal('internal_error');
    expect(await readOperation(db, tenant, waiting.id)).to.deep.include({ status: 'queued' });
    const leased = await db.transaction([tenant], (tx) => leasePending(tx, { leaseSeconds: 60, limit: 10 }));
    expect(leased.map((command) => command.id)).to.deep.equal([waiting.id]);
  });

  it('leaves no audit entry, for it never ran to an end', async () => {
    const killer = job(MARK);
    for (let tries = 0; tries < 4; tries += 1) await countAttempt(db, killer);
    await runSuspects(context, [killer]);
    expect(
      await db.read(tenant, { text: 'select 1 from audit_entries where id = $1', values: [killer.id] }),
    ).to.deep.equal([]);
  });

  it('that merely fails is no killer: it gets its error and its audit entry, and no tries are kept', async () => {
    const broken = commandOf('invoice.create', tenant, { invoice_number: 'INV-1', customer_id: tenant });
    const [result] = await runSuspects(context, [broken]);
    expect(result && !result.ok && result.error.code).to.equal('validation_error');
    expect(await attempts()).to.deep.equal([]);
    expect(
      await db.read(tenant, { text: 'select outcome from audit_entries where id = $1', values: [broken.id] }),
    ).to.deep.equal([{ outcome: 'failed' }]);
  });
});
