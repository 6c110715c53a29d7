import { PassThrough, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import type { Snapshot } from '../../shared/platform/postgres-snapshot.js';
import type { ExportOrder } from '../../shared/resources/exports/order.js';
import { nameOf } from '../../workers/exports/files/names.js';
import { writeExport } from '../../workers/exports/files/write-export.js';
import { Kept, manyCsvRows, orderOf, snapshotOf, written } from '../support/export-files.js';
import { eventually } from '../support/poll.js';
import { TestStack, type TestTenant } from '../support/stack.js';

const ROWS = 100_000;
const FILL = `
  insert into invoices (tenant_id, id, invoice_number, notes, subtotal_cents, tax_cents, total_cents, created_at)
  select $1, gen_random_uuid(), 'S-' || n, 'Towed, from "' || md5(n::text) || E'",\\nto the yard,\\n', n, 1, n + 1, now() - n * interval '1 second'
  from generate_series(1, ${ROWS}) n`;

/** Takes a piece now and then. */
class Slow extends Writable {
  taken = 0;

  constructor(private readonly pauseMs: number) {
    super({ highWaterMark: 64 * 1024 });
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.taken += chunk.length;
    setTimeout(done, this.pauseMs);
  }
}

describe('streams of exports', () => {
  let stack: TestStack;
  let tenant: TestTenant;
  const open = new Set<Snapshot>();

  before(async () => {
    stack = await TestStack.start({ clock: false, worker: false });
    tenant = await stack.createTenant();
    await stack.asOwner(
      `begin; select set_config('app.tenant_ids', '${tenant.id}', true); set local statement_timeout = 0; ${FILL.replace('$1', `'${tenant.id}'`)}; commit; analyze invoices`,
    );
  });
  afterEach(async () => {
    for (const snapshot of open) await snapshot.close();
    open.clear();
    await noSession();
  });
  after(() => stack.stop());

  const opened = async () => {
    const snapshot = await snapshotOf(stack.databaseUrl, tenant.id);
    open.add(snapshot);
    return snapshot;
  };
  const noSession = () =>
    eventually('no session is left', async () => {
      const text =
        "select count(*)::int as left from pg_stat_activity where application_name = 'export-test'";
      const [row] = await stack.rows<{ left: number }>(tenant.id, text);
      return row?.left === 0;
    });
  const failed = (work: Promise<unknown>): Promise<Error> =>
    work.then(
      () => expect.fail('it was written'),
      (error: Error) => error,
    );

  it('has every row once, whatever its pieces cut through', async () => {
    const seen: number[] = [];
    const order = orderOf(tenant.id, { compression: 'gzip' });
    const { content, summary } = await written(stack.databaseUrl, order, {
      onProgress: (rows) => seen.push(rows),
    });
    const plain = gunzipSync(content);
    const rows = manyCsvRows(plain);
    expect(rows).to.have.length(ROWS);
    expect(new Set(rows.map((row) => row.invoice_number)).size).to.equal(ROWS);
    expect(rows[0]?.notes).to.match(/^Towed, from "[0-9a-f]{32}",\nto the yard,\n$/);
    expect(summary.files[0]).to.deep.include({ rows: ROWS, bytes: plain.length });
    expect(summary.files[0]?.sums.total_cents).to.equal((ROWS * (ROWS + 3)) / 2);
    expect(seen.length).to.be.above(10);
    expect(seen.at(-1)).to.equal(ROWS);
    for (const [index, rows] of seen.entries()) expect(rows).to.be.at.least(seen[index - 1] ?? 0);
  });

  it('shows what was there when the snapshot was taken', async () => {
    const snapshot = await opened();
    const sink = new Kept();
    let changed: Promise<unknown> | undefined;
    const summary = await writeExport(snapshot, orderOf(tenant.id, { format: 'ndjson' }), sink, {
      onProgress: () => {
        changed ??= stack.rows(
          tenant.id,
          `with gone as (delete from invoices where tenant_id = $1 and invoice_number = 'S-7')
           update invoices set subtotal_cents = 5, total_cents = 6 where tenant_id = $1 and invoice_number in ('S-9', 'S-99999')`,
          [tenant.id],
        );
      },
    });
    await changed;
    expect(summary.files[0]?.sums.total_cents).to.equal((ROWS * (ROWS + 3)) / 2);
    const lines = sink.content.toString().trimEnd().split('\n');
    const total = lines.reduce((sum, line) => sum + JSON.parse(line).total_cents, 0);
    expect(total).to.equal((ROWS * (ROWS + 3)) / 2);
  });

  it('is no faster than its sink, and holds nothing meanwhile', async () => {
    for (const overrides of [{}, { resource: 'all' }] as Partial<ExportOrder>[]) {
      const snapshot = await opened();
      const sink = new Slow(60);
      const ending = new AbortController();
      let last = 0;
      const work = failed(
        writeExport(snapshot, orderOf(tenant.id, overrides), sink, {
          signal: ending.signal,
          onProgress: (rows) => {
            last = rows;
          },
        }),
      );
      await eventually('the sink takes something', () => sink.taken > 100_000);
      const before = process.memoryUsage();
      await sleep(2500);
      const after = process.memoryUsage();
      expect(after.external + after.arrayBuffers).to.be.below(
        before.external + before.arrayBuffers + 2 ** 24,
      );
      expect(after.rss).to.be.below(before.rss + 2 ** 26);
      expect(last)
        .to.be.above(0)
        .and.below(ROWS / 2);
      ending.abort();
      await work;
      await snapshot.close();
    }
  });

  for (const overrides of [{}, { compression: 'gzip' }, { resource: 'all' }] as Partial<ExportOrder>[]) {
    describe(`written as ${JSON.stringify(overrides)}`, () => {
      it('ends at once when its signal says so, and leaves no session', async () => {
        const snapshot = await opened();
        const ending = new AbortController();
        const sink = new Slow(20);
        const reason = new Error('cancelled');
        const work = failed(
          writeExport(snapshot, orderOf(tenant.id, overrides), sink, {
            signal: ending.signal,
            onProgress: () => setImmediate(() => ending.abort(reason)),
          }),
        );
        expect(await work).to.equal(reason);
        expect(sink.destroyed).to.equal(true);
        expect(sink.writableFinished).to.equal(false);
        await snapshot.close();
        await noSession();
      });

      it('fails with its sink', async () => {
        const snapshot = await opened();
        let room = 3;
        const full = new Writable({
          write: (_chunk, _encoding, done) => {
            room -= 1;
            done(room < 0 ? new Error('no space left') : null);
          },
        });
        const error = await failed(writeExport(snapshot, orderOf(tenant.id, overrides), full));
        expect(error.message).to.equal('no space left');
      });

      it('fails with its snapshot', async () => {
        const snapshot = await opened();
        const sink = new Slow(20);
        let cut: Promise<unknown> | undefined;
        const error = await failed(
          writeExport(snapshot, orderOf(tenant.id, overrides), sink, {
            onProgress: () => {
              cut ??= stack.asOwner(`select pg_terminate_backend(${snapshot.pid})`);
            },
          }),
        );
        await cut;
        expect(error.message).to.match(/terminat|connection/i);
        expect(sink.writableFinished).to.equal(false);
      });
    });
  }

  it('begins nothing when it is cancelled before', async () => {
    const snapshot = await opened();
    const sink = new Kept();
    const signal = AbortSignal.abort(new Error('too late'));
    expect((await failed(writeExport(snapshot, orderOf(tenant.id), sink, { signal }))).message).to.equal(
      'too late',
    );
    expect(sink.destroyed).to.equal(true);
    expect(await snapshot.query({ text: 'select 1 as one' })).to.deep.equal([{ one: 1 }]);
  });

  it('packs a dump that another writes, and fails with it', async () => {
    const snapshot = await opened();
    const order = orderOf(tenant.id, { resource: 'all', format: 'dump' });
    const summary = { rows: 1, files: [] };
    const sink = new Kept();
    const done = await writeExport(snapshot, order, sink, {
      writeDump: async (_snapshot, packed, { tenantId }) => {
        packed.end(`-- ${tenantId}`);
        return summary;
      },
    });
    expect(done).to.equal(summary);
    expect(gunzipSync(sink.content).toString()).to.equal(`-- ${tenant.id}`);
    const broken = new PassThrough();
    const error = await failed(
      writeExport(snapshot, order, broken, {
        writeDump: async () => {
          throw new Error('no such table');
        },
      }),
    );
    expect(error.message).to.equal('no such table');
    expect(broken.destroyed).to.equal(true);
  });

  const NAMES: [Partial<ExportOrder>, string, string][] = [
    [{}, 'invoices-2026-11-22.csv', 'text/csv; charset=utf-8; header=present'],
    [{ compression: 'gzip' }, 'invoices-2026-11-22.csv.gz', 'application/gzip'],
    [{ resource: 'customers', format: 'json' }, 'customers-2026-11-22.json', 'application/json'],
    [{ resource: 'work_orders', format: 'ndjson' }, 'work_orders-2026-11-22.ndjson', 'application/x-ndjson'],
    [{ include: ['payments'] }, 'invoices-csv-2026-11-22.zip', 'application/zip'],
    [{ include: ['line_items'], format: 'json' }, 'invoices-2026-11-22.json', 'application/json'],
    [{ resource: 'all', format: 'ndjson' }, 'everything-ndjson-2026-11-22.zip', 'application/zip'],
    [{ resource: 'all', format: 'dump' }, 'dump-2026-11-22.sql.gz', 'application/gzip'],
    [{ timeZone: 'America/New_York' }, 'invoices-2026-11-21.csv', 'text/csv; charset=utf-8; header=present'],
  ];
  for (const [overrides, fileName, contentType] of NAMES) {
    it(`is called ${fileName} for ${JSON.stringify(overrides)}`, () => {
      const at = new Date('2026-11-22T03:00:00Z');
      expect(nameOf(orderOf(tenant.id, overrides), at)).to.deep.equal({ fileName, contentType });
    });
  }
});
