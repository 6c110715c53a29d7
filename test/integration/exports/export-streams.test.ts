import { PassThrough, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import type { Snapshot } from '../../../shared/platform/postgres/snapshot.js';
import type { ExportRequest } from '../../../shared/resources/exports/request/export-request.js';
import { nameExportFile } from '../../../workers/exports/files/export-file-name.js';
import { writeExport } from '../../../workers/exports/files/write-export.js';
import {
  buildExportRequest,
  MemoryWritable,
  openTestSnapshot,
  parseCsvFast,
  writeExportToBuffer,
} from '../../support/exports/export-files.js';
import { eventually } from '../../support/poll.js';
import { useStack, useTenant } from '../../support/use-stack.js';

const ROWS = 100_000;
const FILL = `
  insert into invoices (tenant_id, id, invoice_number, notes, subtotal_cents, tax_cents, total_cents, created_at)
  select $1, gen_random_uuid(), 'S-' || n, 'Towed, from "' || md5(n::text) || E'",\\nto the yard,\\n', n, 1, n + 1, now() - n * interval '1 second'
  from generate_series(1, ${ROWS}) n`;

/** A stream that takes `pauseMs` to accept each chunk. */
class SlowSink extends Writable {
  receivedBytes = 0;

  constructor(private readonly pauseMs: number) {
    super({ highWaterMark: 64 * 1024 });
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.receivedBytes += chunk.length;
    setTimeout(done, this.pauseMs);
  }
}

describe('export streams', () => {
  const stack = useStack({ worker: false });
  const tenant = useTenant(stack);
  const openSnapshots = new Set<Snapshot>();

  before(async () => {
    await stack.runAsOwner(
      `begin; select set_config('app.tenant_ids', '${tenant.id}', true); set local statement_timeout = 0; ${FILL.replace('$1', `'${tenant.id}'`)}; commit; analyze invoices`,
    );
  });
  afterEach(async () => {
    for (const snapshot of openSnapshots) await snapshot.close();
    openSnapshots.clear();
    await waitForNoSession();
  });

  const openTrackedSnapshot = async () => {
    const snapshot = await openTestSnapshot(stack.databaseUrl, tenant.id);
    openSnapshots.add(snapshot);
    return snapshot;
  };
  const waitForNoSession = () =>
    eventually('no export session left', async () => {
      const text =
        "select count(*)::int as left from pg_stat_activity where application_name = 'export-test'";
      const [row] = await stack.rows<{ left: number }>(tenant.id, text);
      return row?.left === 0;
    });
  const catchError = (work: Promise<unknown>): Promise<Error> =>
    work.then(
      () => expect.fail('the export was written'),
      (error: Error) => error,
    );

  it('an export has every row once, even if chunks split rows', async () => {
    const progress: number[] = [];
    const exportRequest = buildExportRequest(tenant.id, { compression: 'gzip' });
    const { content, summary } = await writeExportToBuffer(stack.databaseUrl, exportRequest, {
      onProgress: (rows) => progress.push(rows),
    });
    const plain = gunzipSync(content);
    const rows = parseCsvFast(plain);
    expect(rows).to.have.length(ROWS);
    expect(new Set(rows.map((row) => row.invoice_number)).size).to.equal(ROWS);
    expect(rows[0]?.notes).to.match(/^Towed, from "[0-9a-f]{32}",\nto the yard,\n$/);
    expect(summary.files[0]).to.deep.include({ rows: ROWS, bytes: plain.length });
    expect(summary.files[0]?.sums.total_cents).to.equal((ROWS * (ROWS + 3)) / 2);
    expect(progress.length).to.be.above(10);
    expect(progress.at(-1)).to.equal(ROWS);
    for (const [index, rows] of progress.entries()) expect(rows).to.be.at.least(progress[index - 1] ?? 0);
  });

  it('an export shows the rows at the time of its snapshot', async () => {
    const snapshot = await openTrackedSnapshot();
    const sink = new MemoryWritable();
    let changed: Promise<unknown> | undefined;
    const summary = await writeExport(snapshot, buildExportRequest(tenant.id, { format: 'ndjson' }), sink, {
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
    const ndjsonLines = sink.content.toString().trimEnd().split('\n');
    const total = ndjsonLines.reduce((sum, line) => sum + JSON.parse(line).total_cents, 0);
    expect(total).to.equal((ROWS * (ROWS + 3)) / 2);
  });

  it('an export is no faster than its sink and does not buffer the file', async () => {
    for (const overrides of [{}, { resource: 'all' }] as Partial<ExportRequest>[]) {
      const snapshot = await openTrackedSnapshot();
      const sink = new SlowSink(60);
      const abort = new AbortController();
      let lastRows = 0;
      const work = catchError(
        writeExport(snapshot, buildExportRequest(tenant.id, overrides), sink, {
          signal: abort.signal,
          onProgress: (rows) => {
            lastRows = rows;
          },
        }),
      );
      await eventually('the sink to receive data', () => sink.receivedBytes > 100_000);
      const before = process.memoryUsage();
      await sleep(2500);
      const after = process.memoryUsage();
      expect(after.external + after.arrayBuffers).to.be.below(
        before.external + before.arrayBuffers + 2 ** 24,
      );
      expect(after.rss).to.be.below(before.rss + 2 ** 26);
      expect(lastRows)
        .to.be.above(0)
        .and.below(ROWS / 2);
      abort.abort();
      await work;
      await snapshot.close();
    }
  });

  for (const overrides of [{}, { compression: 'gzip' }, { resource: 'all' }] as Partial<ExportRequest>[]) {
    describe(`an export with ${JSON.stringify(overrides)}`, () => {
      it('an export stops immediately when aborted and leaves no session', async () => {
        const snapshot = await openTrackedSnapshot();
        const abort = new AbortController();
        const sink = new SlowSink(20);
        const reason = new Error('cancelled');
        const work = catchError(
          writeExport(snapshot, buildExportRequest(tenant.id, overrides), sink, {
            signal: abort.signal,
            onProgress: () => setImmediate(() => abort.abort(reason)),
          }),
        );
        expect(await work).to.equal(reason);
        expect(sink.destroyed).to.equal(true);
        expect(sink.writableFinished).to.equal(false);
        await snapshot.close();
        await waitForNoSession();
      });

      it('an export fails if its sink fails', async () => {
        const snapshot = await openTrackedSnapshot();
        let chunksLeft = 3;
        const limited = new Writable({
          write: (_chunk, _encoding, done) => {
            chunksLeft -= 1;
            done(chunksLeft < 0 ? new Error('no space left') : null);
          },
        });
        const error = await catchError(
          writeExport(snapshot, buildExportRequest(tenant.id, overrides), limited),
        );
        expect(error.message).to.equal('no space left');
      });

      it('an export fails if its snapshot is terminated', async () => {
        const snapshot = await openTrackedSnapshot();
        const sink = new SlowSink(20);
        let terminated: Promise<unknown> | undefined;
        const error = await catchError(
          writeExport(snapshot, buildExportRequest(tenant.id, overrides), sink, {
            onProgress: () => {
              terminated ??= stack.runAsOwner(`select pg_terminate_backend(${snapshot.pid})`);
            },
          }),
        );
        await terminated;
        expect(error.message).to.match(/terminat|connection/i);
        expect(sink.writableFinished).to.equal(false);
      });
    });
  }

  it('an export aborted before its start reads nothing', async () => {
    const snapshot = await openTrackedSnapshot();
    const sink = new MemoryWritable();
    const signal = AbortSignal.abort(new Error('too late'));
    expect(
      (await catchError(writeExport(snapshot, buildExportRequest(tenant.id), sink, { signal }))).message,
    ).to.equal('too late');
    expect(sink.destroyed).to.equal(true);
    expect(await snapshot.query({ text: 'select 1 as one' })).to.deep.equal([{ one: 1 }]);
  });

  it('a dump is compressed from its writer, and fails if the writer fails', async () => {
    const snapshot = await openTrackedSnapshot();
    const exportRequest = buildExportRequest(tenant.id, { resource: 'all', format: 'dump' });
    const summary = { rows: 1, files: [] };
    const sink = new MemoryWritable();
    const returnedSummary = await writeExport(snapshot, exportRequest, sink, {
      writeDump: async (_snapshot, target, { tenantId }) => {
        target.end(`-- ${tenantId}`);
        return summary;
      },
    });
    expect(returnedSummary).to.equal(summary);
    expect(gunzipSync(sink.content).toString()).to.equal(`-- ${tenant.id}`);
    const broken = new PassThrough();
    const error = await catchError(
      writeExport(snapshot, exportRequest, broken, {
        writeDump: async () => {
          throw new Error('no such table');
        },
      }),
    );
    expect(error.message).to.equal('no such table');
    expect(broken.destroyed).to.equal(true);
  });

  const NAMES: [Partial<ExportRequest>, string, string][] = [
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
    it(`an export with ${JSON.stringify(overrides)} has the file name ${fileName}`, () => {
      const at = new Date('2026-11-22T03:00:00Z');
      expect(nameExportFile(buildExportRequest(tenant.id, overrides), at)).to.deep.equal({
        fileName,
        contentType,
      });
    });
  }
});
