import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { ExportCompany } from '../support/exports/export-company.js';
import { parseCsvFast } from '../support/exports/export-files.js';
import type { DeployedTenant, Deployment } from '../support/load/deployment.js';
import type { Load, LoadCall } from '../support/load/load.js';
import { sendUntilDone } from './send-until-done.js';
import type { SmallDisk } from './stores.js';

const REQUEST = { resource: 'invoices', format: 'csv', compression: 'none' };
/** A worker that died keeps its export for its lease, and another starts it anew. */
const END_MS = 180_000;

const THINK_MS = 500;

interface EarlyExport {
  id: string;
  requestedAt: number;
  /** True if the export failed because its disk was full while it ran. */
  hasMetFullDisk: boolean;
}

/** Exports the invoices of a tenant of the load: one export after the other, and one at the end. */
export class ExportsLoad {
  private readonly company: ExportCompany;
  private readonly early: EarlyExport[] = [];
  private work: Promise<void> | undefined;
  private isEnding = false;

  constructor(
    deployment: Deployment,
    private readonly tenant: DeployedTenant,
    private readonly load: Load,
    /** The disk of the exports, if a fault can fill it. */
    private readonly disk: SmallDisk | undefined,
  ) {
    this.company = new ExportCompany(deployment, tenant);
  }

  /** Exports until {@link stop}, while the load writes and faults happen. */
  start(): void {
    if (this.work) return;
    this.work = this.run();
    // stop() reports a failure. The handler keeps it from ending the process before.
    this.work.catch(() => undefined);
  }

  /** Begins no further export. Does not wait for the present one. */
  end(): void {
    this.isEnding = true;
  }

  /** Ends once the present export has ended. */
  async stop(): Promise<void> {
    this.end();
    await this.work;
  }

  private async run(): Promise<void> {
    while (!this.isEnding) {
      const requestedAt = Date.now();
      const id = await this.request();
      const { status, error } = await this.company.waitForEnd(id, END_MS);
      // A full disk fails an export at once, and the person is to free space and request another.
      const hasNoSpace = status === 'failed' && error.code === 'storage_full';
      const hasMetFullDisk = hasNoSpace && this.disk?.wasFullSince(requestedAt) === true;
      this.early.push({ id, requestedAt, hasMetFullDisk });
      await sleep(THINK_MS);
    }
  }

  /**
   * Requests an export. Sends no idempotency key, because the checks of the load expect a stored
   * response for each invoice and no other. A repeated request only makes a second export.
   */
  private async request(): Promise<string> {
    return (await sendUntilDone(this.company.client, '/exports', REQUEST, [202], {})).id;
  }

  /**
   * Asserts that each early export has the invoices that were acknowledged before its request, and
   * no other than acknowledged ones; and that an export after the load has exactly these.
   */
  async expectExact(): Promise<{ exports: number; rows: number; failed: number }> {
    const acknowledged = new Map(this.listAcknowledged().map((call) => [call.id ?? '', call]));
    const late = await this.readRows(await this.request(), acknowledged);
    expect(late.size, 'rows of the export after the load').to.equal(acknowledged.size);
    const whole = this.early.filter(({ hasMetFullDisk }) => !hasMetFullDisk);
    let rows = late.size;
    for (const { id, requestedAt } of whole) {
      const ids = await this.readRows(id, acknowledged);
      rows += ids.size;
      const lacking = [...acknowledged.values()].filter(
        (call) => (call.succeededAt ?? requestedAt) < requestedAt && !ids.has(call.id ?? ''),
      );
      expect(
        lacking.map((call) => call.id),
        'invoices that the export lacks',
      ).to.deep.equal([]);
    }
    return { exports: whole.length + 1, rows, failed: this.early.length - whole.length };
  }

  private listAcknowledged(): LoadCall[] {
    return this.load.calls.filter(({ tenant, outcome }) => tenant === this.tenant && outcome === 'ok');
  }

  /** Returns the ids of an export's rows. Asserts that each is an acknowledged invoice, once. */
  private async readRows(id: string, acknowledged: Map<string, LoadCall>): Promise<Set<string>> {
    const record = await this.company.waitForEnd(id, END_MS);
    expect(record.status, JSON.stringify(record.error)).to.equal('completed');
    const rows = parseCsvFast(await this.company.downloadExport(id));
    expect(rows.length, 'rows that the record counts').to.equal(record.progress.rows);
    const ids = new Set(rows.map((row) => row.id ?? ''));
    expect(ids.size, 'different invoices in the export').to.equal(rows.length);
    for (const row of rows) {
      const call = acknowledged.get(row.id ?? '');
      expect([row.invoice_number, Number(row.total_cents)], `row ${row.id}`).to.deep.equal([
        call?.body.invoice_number,
        call?.totalCents,
      ]);
    }
    return ids;
  }
}
