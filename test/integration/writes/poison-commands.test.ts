import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Command, CommandResult } from '../../../shared/contracts/command.js';
import { countAttempt } from '../../../shared/operations/command-attempts.js';
import { leasePending } from '../../../shared/operations/pending.js';
import { readOperation, storeOperation } from '../../../shared/operations/store.js';
import { createLogger } from '../../../shared/platform/logger.js';
import { type Database, openDatabase } from '../../../shared/platform/postgres/database.js';
import { createTenantPair, createTenantPairIds } from '../../../shared/resources/tenants/create-tenant.js';
import { type BatchContext, runSuspectedCommands } from '../../../workers/writes/isolate-commands.js';
import { buildBundledCommand } from '../../support/bundles/bundle-programs.js';
import { useProcesses } from '../../support/load/processes.js';
import { createDatabase } from '../../support/stores.js';
import { createBatchContext } from '../../support/writes/batch-context.js';
import { buildCommand } from '../../support/writes/commands.js';

const MARK = 'kills its worker';

interface AttemptRow {
  command_id: string;
  attempts: number;
  parked: boolean;
  command: Command;
}

describe('poison commands', () => {
  const processes = useProcesses();
  let databaseUrl: string;
  let db: Database;
  let context: BatchContext;
  let tenant: string;
  let runIds: string[];

  before(async () => {
    databaseUrl = await createDatabase();
    const logger = createLogger({ level: 'silent', name: 'test', pretty: false });
    db = openDatabase({ databaseUrl, poolSize: 4, applicationName: 'test', logger });
    context = {
      ...createBatchContext({ db, logger }),
      beforeCommit: (commands) => runIds.push(...commands.map(({ id }) => id)),
    };
  });
  beforeEach(async () => {
    const pair = createTenantPairIds();
    await db.transaction([pair.live, pair.sandbox], (tx) => createTenantPair(tx, pair, { name: 'T' }));
    tenant = pair.live;
    runIds = [];
  });
  after(() => db.close());

  const workOrderCommand = (notes: string) =>
    buildCommand('work_order.create', tenant, { service_type: 'tow', notes });

  async function readAttempts(): Promise<AttemptRow[]> {
    return db.read<AttemptRow>(tenant, {
      text: 'select command_id, attempts, parked_at is not null as parked, command from command_attempts order by command_id',
    });
  }

  async function readStoredNotes(): Promise<string[]> {
    const rows = await db.read<{ notes: string }>(tenant, {
      text: 'select notes from work_orders order by notes',
    });
    return rows.map((row) => row.notes);
  }

  it('a command that kills its worker is parked after three attempts, and the others of its job are committed', async () => {
    const [first, killer, last] = [
      workOrderCommand('first'),
      workOrderCommand(MARK),
      workOrderCommand('last'),
    ];
    const file = join(await processes.createFolder(), 'commands.json');
    writeFileSync(file, JSON.stringify([first, killer, last]));
    const tryOnce = () =>
      processes.run({
        command: buildBundledCommand(
          'test/support/writes/suspected-commands-process.ts',
          databaseUrl,
          file,
          MARK,
        ),
      });

    // No attempts are counted yet, so the first worker runs the commands in the given order: the
    // killer before `last`.
    expect((await tryOnce()).signal).to.equal('SIGKILL');
    expect(await readStoredNotes()).to.deep.equal(['first']);
    expect(
      (await readAttempts()).map(({ command_id, attempts: count }) => [command_id, count]),
    ).to.deep.equal([[killer.id, 1]]);
    // The later workers run the commands with the fewest attempts first, so `last` is committed
    // before the killer runs.
    for (const count of [2, 3]) {
      expect((await tryOnce()).signal).to.equal('SIGKILL');
      expect(await readStoredNotes()).to.deep.equal(['first', 'last']);
      const [row] = await readAttempts();
      expect(row).to.deep.include({ command_id: killer.id, attempts: count, parked: false });
    }
    const { code, output } = await tryOnce();
    expect(code, output).to.equal(0);
    const results = new Map((JSON.parse(output) as CommandResult[]).map((result) => [result.id, result]));
    expect(results.get(first.id)).to.include({ ok: true, status: 201 });
    expect(results.get(last.id)).to.include({ ok: true, status: 201 });
    expect(results.get(killer.id)).to.deep.include({ ok: false });
    const [parked, ...others] = await readAttempts();
    expect(others).to.deep.equal([]);
    expect(parked).to.deep.include({ command_id: killer.id, parked: true });
    expect(parked?.command, 'the whole command is stored for a replay').to.deep.equal(
      JSON.parse(JSON.stringify(killer)),
    );
    expect(await readStoredNotes(), 'the killer stored nothing').to.deep.equal(['first', 'last']);
  });

  it('countAttempt counts each attempt in a separate commit and parks the command after three', async () => {
    const command = workOrderCommand('x');
    for (const count of [1, 2, 3]) {
      expect(await countAttempt(db, command), `attempt ${count}`).to.equal(true);
      expect(await readAttempts()).to.have.length(1);
      expect((await readAttempts())[0]).to.deep.include({ attempts: count, parked: false });
    }
    expect(await countAttempt(db, command)).to.equal(false);
    expect((await readAttempts())[0]).to.deep.include({ parked: true });
    expect(await countAttempt(db, command), 'the command stays parked').to.equal(false);
  });

  it('suspected commands of several jobs run one at a time, so that each death counts for one command only', async () => {
    let suspected = 0;
    const suspectedCounts: number[] = [];
    const watched = {
      ...context,
      db: new Proxy(db, {
        get(target, member) {
          const own = Reflect.get(target, member, target) as unknown;
          if (member !== 'transaction') return typeof own === 'function' ? own.bind(target) : own;
          return async (...args: Parameters<Database['transaction']>) => {
            const result = await target.transaction(...args);
            suspected = (await readAttempts()).length;
            suspectedCounts.push(suspected);
            return result;
          };
        },
      }),
    };
    await Promise.all(
      ['a', 'b', 'c'].map((notes) =>
        runSuspectedCommands(watched, [workOrderCommand(notes), workOrderCommand(notes)]),
      ),
    );
    expect(await readStoredNotes()).to.deep.equal(['a', 'a', 'b', 'b', 'c', 'c']);
    expect(Math.max(...suspectedCounts)).to.equal(1);
    expect(suspected).to.equal(0);
  });

  it('suspected commands with the fewest attempts run first, and a success deletes their attempts', async () => {
    const [untried, triedOnce, triedTwice] = [
      workOrderCommand('calm'),
      workOrderCommand('shaky'),
      workOrderCommand('shakier'),
    ] as [Command, Command, Command];
    await countAttempt(db, triedTwice);
    await countAttempt(db, triedTwice);
    await countAttempt(db, triedOnce);
    const results = await runSuspectedCommands(context, [triedTwice, triedOnce, untried]);
    expect(runIds).to.deep.equal([untried.id, triedOnce.id, triedTwice.id]);
    expect(results.every((result) => result.ok)).to.equal(true);
    expect(await readAttempts()).to.deep.equal([]);
  });

  it('the operation of a parked command is failed, and the clock does not lease it again', async () => {
    const [killer, waiting] = [workOrderCommand(MARK), workOrderCommand('waiting')];
    await storeOperation(db, killer, -1);
    await storeOperation(db, waiting, -1);
    for (let attempt = 0; attempt < 4; attempt += 1) await countAttempt(db, killer);
    const [result] = await runSuspectedCommands(context, [killer]);
    expect(result).to.deep.include({ id: killer.id, ok: false });
    expect(runIds, 'the command did not run').to.deep.equal([]);

    const view = await readOperation(db, tenant, killer.id);
    expect(view).to.deep.include({ id: killer.id, status: 'failed' });
    expect(view?.result && !view.result.ok && view.result.error.code).to.equal('internal_error');
    expect(await readOperation(db, tenant, waiting.id)).to.deep.include({ status: 'queued' });
    const leased = await db.transaction([tenant], (tx) => leasePending(tx, { leaseSeconds: 60, limit: 10 }));
    expect(leased.map((command) => command.id)).to.deep.equal([waiting.id]);
  });

  it('a parked command has no audit entry, because it never completed', async () => {
    const killer = workOrderCommand(MARK);
    for (let attempt = 0; attempt < 4; attempt += 1) await countAttempt(db, killer);
    await runSuspectedCommands(context, [killer]);
    expect(
      await db.read(tenant, { text: 'select 1 from audit_entries where id = $1', values: [killer.id] }),
    ).to.deep.equal([]);
  });

  it('a suspected command that only fails gets its error and audit entry, and no attempts are kept', async () => {
    const broken = buildCommand('invoice.create', tenant, { invoice_number: 'INV-1', customer_id: tenant });
    const [result] = await runSuspectedCommands(context, [broken]);
    expect(result && !result.ok && result.error.code).to.equal('validation_error');
    expect(await readAttempts()).to.deep.equal([]);
    expect(
      await db.read(tenant, { text: 'select outcome from audit_entries where id = $1', values: [broken.id] }),
    ).to.deep.equal([{ outcome: 'failed' }]);
  });
});
