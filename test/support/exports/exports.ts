import { expect } from 'chai';
import type { Command } from '../../../shared/contracts/command.js';
import { createSystemCommand } from '../../../shared/contracts/system-command.js';
import { newId } from '../../../shared/platform/ids.js';
import { enqueueBatch, openWritesQueue, type WritesQueue } from '../../../shared/queues/writes.js';
import { recordExportCompleted, recordExportFailed } from '../../../shared/resources/exports/commands.js';
import {
  type LeasedExport,
  leaseExport,
  renewExportLease,
} from '../../../shared/resources/exports/run-store.js';
import type { Json, TestClient } from '../client.js';
import { eventually } from '../poll.js';
import type { TestStack } from '../stack.js';

const LEASE_MS = 15_000;

/** The writes queue of each stack, opened once, because each opened queue takes connections. */
const queues = new WeakMap<TestStack, WritesQueue>();

export async function requestExport(client: TestClient, request: object): Promise<Json> {
  const response = await client.post('/exports', request);
  expect(response.status, response.text).to.equal(202);
  return response.body;
}

export async function readExport(client: TestClient, id: string): Promise<Json> {
  const response = await client.get(`/exports/${id}`);
  expect(response.status, response.text).to.equal(200);
  return response.body;
}

/** Requests and reads the exports of one account, and acts on them as an exports worker would. */
export class ExportAccount {
  constructor(
    readonly stack: TestStack,
    readonly tenantId: string,
    readonly client: TestClient,
  ) {}

  create(request: object = { resource: 'invoices', format: 'csv' }): Promise<Json> {
    return requestExport(this.client, request);
  }

  read(id: string): Promise<Json> {
    return readExport(this.client, id);
  }

  lease(id: string, owner = newId()): ReturnType<typeof leaseExport> {
    const ref = { tenant_id: this.tenantId, id };
    return this.stack.runtime.db.transaction([this.tenantId], (tx) =>
      leaseExport(tx, ref, { owner, leaseMs: LEASE_MS }),
    );
  }

  /** @throws {Error} if the export cannot be leased */
  async leaseOrThrow(id: string, owner = newId()): Promise<LeasedExport> {
    const found = await this.lease(id, owner);
    if (!found || found === 'busy') throw new Error(`the export was not leased: ${found}`);
    return found;
  }

  renew(id: string, owner: string, progress = { rows: 0, bytes: 0 }): Promise<boolean> {
    const ref = { tenant_id: this.tenantId, id };
    return this.stack.runtime.db.transaction([this.tenantId], (tx) =>
      renewExportLease(tx, ref, { owner, leaseMs: LEASE_MS, ...progress }),
    );
  }

  /** Builds the command by which a worker records a completed export. */
  buildCompletion(id: string, attempt: number, overrides: object = {}): Command {
    const input = {
      attempt,
      rows: 3,
      bytes: 200,
      sha256: 'a'.repeat(64),
      object_key: `${this.tenantId}/${id}/${attempt}`,
      file_name: 'invoices-2026-11-22.csv.gz',
      content_type: 'application/gzip',
      files: [
        { name: 'invoices.csv', rows: 3, bytes: 900, sha256: 'b'.repeat(64), sums: { total_cents: 300 } },
      ],
      ...overrides,
    };
    return this.command(recordExportCompleted.type, id, input);
  }

  buildFailure(id: string, attempt: number): Command {
    const input = { attempt, code: 'storage_full', message: 'There was no room for the file.' };
    return this.command(recordExportFailed.type, id, input);
  }

  private command(type: string, entityId: string, input: object): Command {
    const { tenantId } = this;
    return createSystemCommand({ type, tenantId, environment: 'live', name: 'exports', entityId, input });
  }

  /** Submits commands as a worker does, and waits until all of them have run. */
  async submit(...commands: Command[]): Promise<void> {
    const queue = queues.get(this.stack) ?? openWritesQueue(this.stack.runtime);
    queues.set(this.stack, queue);
    await enqueueBatch(queue, commands, null);
    await eventually('the command has run', async () => {
      const text = 'select from audit_entries where tenant_id = $1 and id = any($2::uuid[])';
      const values = [this.tenantId, commands.map(({ id }) => id)];
      return (await this.stack.rows(this.tenantId, text, values)).length === commands.length;
    });
  }

  async createCompleted(request?: object): Promise<Json> {
    const { id } = await this.create(request);
    const { attempts } = await this.leaseOrThrow(id);
    await this.submit(this.buildCompletion(id, attempts));
    return this.read(id);
  }

  /**
   * Sets columns of an export's row by SQL, without any check.
   * @param columns the SQL assignments, such as `status = 'queued'`
   */
  async updateColumns(id: string, columns: string): Promise<void> {
    const text = `update exports set ${columns} where tenant_id = $1 and id = $2`;
    await this.stack.rows(this.tenantId, text, [this.tenantId, id]);
  }
}
