/**
 * Helps the export scenarios: inserts a company's invoices, and requests and reads exports with the
 * company's API key.
 */
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Json } from '../client.js';
import { TestClient } from '../client.js';
import type { DeployedTenant, Deployment } from '../load/deployment.js';
import { eventually } from '../poll.js';
import { readExport, requestExport } from './exports.js';

const INSERT_BATCH_ROWS = 20_000;
const EXPORT_TIMEOUT_MS = 60_000;

export class ExportCompany {
  readonly client: TestClient;

  constructor(
    readonly deployment: Deployment,
    readonly tenant: DeployedTenant,
  ) {
    this.client = new TestClient(deployment.web.origin, tenant.key);
  }

  /**
   * Inserts invoices of $171.85 by SQL, because the API would take minutes.
   * @param notes text in each invoice; a longer text makes a larger export
   */
  async insertInvoices(count: number, notes = 'Towed from the shoulder of I-87 north'): Promise<void> {
    const db = await this.deployment.db();
    for (let from = 1; from <= count; from += INSERT_BATCH_ROWS) {
      const to = Math.min(count, from + INSERT_BATCH_ROWS - 1);
      await db.transaction([this.tenant.id], async (tx) => {
        // Raise the query timeout, because the product never inserts so many rows in one query.
        await tx.query({ text: "set local statement_timeout = '2min'" });
        await tx.query({
          text: `insert into invoices (tenant_id, id, invoice_number, status, notes, subtotal_cents, tax_cents, total_cents, created_at, updated_at)
                 select $1, gen_random_uuid(), 'F-' || i, 'draft', $2, 15875, 1310, 17185, now(), now() from generate_series($3::int, $4::int) i`,
          values: [this.tenant.id, notes, from, to],
        });
      });
    }
  }

  requestExport(request: object): Promise<Json> {
    return requestExport(this.client, request);
  }

  readExport(id: string): Promise<Json> {
    return readExport(this.client, id);
  }

  /**
   * Waits until the export has completed, failed or been cancelled. Continues to wait while the API
   * is unreachable.
   */
  async waitForEnd(id: string, timeoutMs = EXPORT_TIMEOUT_MS): Promise<Json> {
    return eventually(
      'the end of an export',
      async () => {
        const record = await this.readExport(id).catch(() => undefined);
        return record && !['queued', 'running'].includes(record.status) && record;
      },
      timeoutMs,
    );
  }

  /** Waits until the export has written some rows. */
  async waitForFirstRows(id: string): Promise<void> {
    await eventually('rows of an export', async () => (await this.readExport(id)).progress.rows > 0);
  }

  /**
   * Downloads the file of a completed export. Asserts that the file has the size and the hash in
   * the export's record.
   */
  async downloadExport(id: string): Promise<Buffer> {
    const record = await this.waitForEnd(id);
    expect(record.status, JSON.stringify(record.error)).to.equal('completed');
    const response = await fetch(record.download_url);
    expect(response.status).to.equal(200);
    const file = Buffer.from(await response.arrayBuffer());
    expect(file.length).to.equal(record.bytes);
    expect(createHash('sha256').update(file).digest('hex')).to.equal(record.sha256);
    return file;
  }

  /** Lists the names of complete files in storage. */
  async listStoredFiles(): Promise<string[]> {
    return (await this.#files()).filter((name) => !name.startsWith('.'));
  }

  /** Lists the names of files that are still being written. No client can read these files. */
  async listPartialFiles(): Promise<string[]> {
    return (await this.#files()).filter((name) => name.startsWith('.'));
  }

  async #files(): Promise<string[]> {
    const folder = join(this.deployment.dataDir, 'exports');
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
    return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  }

  /** Counts the database sessions that read for an export. */
  async countSnapshotSessions(): Promise<number> {
    const db = await this.deployment.db();
    const [row] = await db.query<{ count: number }>({
      text: "select count(*)::int as count from pg_stat_activity where application_name = 'tow-snapshot'",
    });
    return row?.count as number;
  }
}
