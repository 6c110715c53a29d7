import { expect } from 'chai';
import { ExportCompany } from '../support/exports/export-company.js';
import { parseCsvFast } from '../support/exports/export-files.js';
import type { DeployedTenant, Deployment } from '../support/load/deployment.js';
import type { Load, LoadCall } from '../support/load/load.js';
import { sendUntilDone } from './send-until-done.js';

const REQUEST = { resource: 'invoices', format: 'csv', compression: 'none' };
/** A worker that died keeps its export for its lease, and another starts it anew. */
const END_MS = 180_000;

/** Exports the invoices of a tenant of the load: one export amid faults, one after them. */
export class ExportsLoad {
  private readonly company: ExportCompany;
  private earlyExport: { id: string; before: Set<string> } | undefined;

  constructor(
    deployment: Deployment,
    private readonly tenant: DeployedTenant,
    private readonly load: Load,
    /** True if a fault may have filled the disk of the exports. */
    private readonly canFill: boolean,
  ) {
    this.company = new ExportCompany(deployment, tenant);
  }

  /**
   * Requests an export. Sends no idempotency key, because the checks of the load expect a stored
   * response for each invoice and no other. A repeated request only makes a second export.
   */
  private async request(): Promise<string> {
    return (await sendUntilDone(this.company.client, '/exports', REQUEST, [202], {})).id;
  }

  /** Requests an export while the load writes and faults happen. */
  async requestEarly(): Promise<void> {
    const before = new Set(this.listAcknowledged().map(({ id = '' }) => id));
    this.earlyExport = { id: await this.request(), before };
  }

  /**
   * Asserts that the early export has each invoice that was acknowledged before its request, and no
   * other than the acknowledged ones; and that an export after the load has exactly these.
   */
  async expectExact(): Promise<{ exports: number; rows: number }> {
    const acknowledged = new Map(this.listAcknowledged().map((call) => [call.id ?? '', call]));
    const late = await this.readRows(await this.request(), acknowledged);
    expect(late.size, 'rows of the export after the load').to.equal(acknowledged.size);
    if (!this.earlyExport) return { exports: 1, rows: late.size };
    const { id, before } = this.earlyExport;
    const { status, error } = await this.company.waitForEnd(id, END_MS);
    // A full disk fails an export at once, and the person is to free space and request another.
    if (status === 'failed' && error.code === 'storage_full' && this.canFill)
      return { exports: 1, rows: late.size };
    const early = await this.readRows(id, acknowledged);
    expect(
      [...before].filter((one) => !early.has(one)),
      'invoices that the export lacks',
    ).to.deep.equal([]);
    return { exports: 2, rows: late.size + early.size };
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
