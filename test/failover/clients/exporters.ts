import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DeployedTenant } from '../../support/load/deployment.js';
import { type Attempt, RESPONSE_TIMEOUT_MS, RepeatingClients, send } from './repeating-clients.js';

const POLL_MS = 200;

/** A client that asks for one export after the other, and downloads each file. */
export class Exporters extends RepeatingClients {
  /** The files that had other bytes than their record says, or fewer rows than there are. */
  readonly wrongFiles: string[] = [];
  /** The exports that ended without a file. */
  readonly failures: string[] = [];

  /**
   * @param rows the number of invoices of the account, which nobody changes
   * @param giveUpMs the time after which an export without an end counts as failed
   */
  constructor(
    private readonly origin: string,
    private readonly tenant: DeployedTenant,
    private readonly rows: number,
    giveUpMs?: number,
  ) {
    super(1, 500, giveUpMs);
  }

  protected begin(): Attempt {
    const key = randomUUID();
    let id: string | undefined;
    return async (until) => {
      id ??= await this.#request(key);
      return id !== undefined && this.#finish(id, until);
    };
  }

  async #request(key: string): Promise<string | undefined> {
    const reply = await send(`${this.origin}/v1/exports`, this.tenant.key, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify({ resource: 'invoices', format: 'csv' }),
    });
    // A 202 with an operation means that the request is stored: its repetition returns the export.
    return reply?.status === 202 ? reply.body.id : undefined;
  }

  /** Waits until the export has ended, and checks its file. Returns false if it never ends. */
  async #finish(id: string, until: number): Promise<boolean> {
    while (Date.now() < until) {
      const reply = await send(`${this.origin}/v1/exports/${id}`, this.tenant.key);
      if (reply?.status !== 200) return false;
      const { status, error } = reply.body;
      if (status === 'completed') return this.#check(id, reply.body);
      if (!['queued', 'running'].includes(status)) {
        this.failures.push(`export ${id}: ${status} ${JSON.stringify(error)}`);
        return true;
      }
      await sleep(POLL_MS);
    }
    return false;
  }

  async #check(
    id: string,
    record: { download_url: string; sha256: string; progress: { rows: number } },
  ): Promise<boolean> {
    const signal = AbortSignal.timeout(RESPONSE_TIMEOUT_MS);
    const file = await fetch(record.download_url, { signal }).then(
      async (response) => (response.ok ? Buffer.from(await response.arrayBuffer()) : undefined),
      () => undefined,
    );
    if (!file) return false;
    const hash = createHash('sha256').update(file).digest('hex');
    if (hash !== record.sha256 || record.progress.rows !== this.rows) this.wrongFiles.push(id);
    return true;
  }
}
