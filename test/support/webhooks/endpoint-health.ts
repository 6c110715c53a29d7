import { findHealthSteps } from '../../../shared/resources/webhook-endpoints/health/sweep.js';
import { runIsolated } from '../../../workers/writes/isolate-commands.js';
import type { BatchContext } from '../../../workers/writes/run-batch.js';
import type { Json } from '../client.js';
import type { TestStack } from '../stack.js';
import { createBatchContext } from '../writes/batch-context.js';
import { insertDeliveries, insertEndpoint } from './webhook-rows.js';

/**
 * Reads and changes the endpoints of one tenant. A test stores the state that delivery workers
 * would store. Then the test runs the clock's health sweep directly, without waiting for the clock.
 */
export class EndpointHealth {
  constructor(
    readonly stack: TestStack,
    readonly tenantId: string,
  ) {}

  createEndpoint(): Promise<string> {
    return insertEndpoint(this, { url: 'https://receiver.example.com/hook?key=secret' });
  }

  queryRows<R = Json>(text: string, values: unknown[]): Promise<R[]> {
    return this.stack.rows<R>(this.tenantId, text, values);
  }

  /**
   * Changes an endpoint's row in `webhook_lanes`.
   * @param set is a list of SQL assignments, such as `exhausted_count = 1`
   */
  async updateQueue(id: string, set: string): Promise<void> {
    const text = `update webhook_lanes set ${set} where tenant_id = $1 and endpoint_id = $2`;
    await this.queryRows(text, [this.tenantId, id]);
  }

  /**
   * Stores that the endpoint began to fail `hours` hours ago, has failed 100 times in a row, and
   * last failed `lastAgo` hours ago.
   */
  setFailing(id: string, hours: number, lastAgo = 0): Promise<void> {
    return this.updateQueue(
      id,
      `failing_since = now() - interval '${hours} hours', last_failure_at = now() - interval '${lastAgo} hours',
       consecutive_failures = 100, last_error = 'http_503'`,
    );
  }

  /** Stores that the endpoint accepted a delivery just now. */
  setSucceeded(id: string): Promise<void> {
    return this.updateQueue(
      id,
      'failing_since = null, consecutive_failures = 0, last_success_at = clock_timestamp()',
    );
  }

  async readEndpoint(id: string): Promise<Json> {
    const text = `select l.*, e.* from webhook_endpoints e join webhook_lanes l on l.tenant_id = e.tenant_id and l.endpoint_id = e.id
                  where e.tenant_id = $1 and e.id = $2`;
    return (await this.queryRows(text, [this.tenantId, id]))[0];
  }

  /**
   * Inserts an exhausted delivery, adds it to the endpoint queue's count, and returns the
   * delivery's id.
   */
  async addExhaustedDelivery(endpointId: string): Promise<string> {
    const ids = await insertDeliveries(this, [{ endpoint_id: endpointId, status: 'exhausted' }]);
    const [id] = ids as [string];
    await this.updateQueue(endpointId, `exhausted_count = exhausted_count + 1, last_exhausted_id = '${id}'`);
    return id;
  }

  /** Finds the commands that the clock's health sweep would submit for an endpoint. */
  async findCommands(id: string) {
    const { db } = this.stack.runtime;
    const commands = await db.transaction([this.tenantId], (tx) => findHealthSteps(tx, 1000));
    return commands.filter(({ entityId }) => entityId === id);
  }

  /**
   * Runs commands as a writes worker would, by default those that {@link findCommands} finds.
   * Returns the ids of the endpoints whose queues a worker would wake afterwards.
   */
  async runCommands(
    id: string,
    commands?: Awaited<ReturnType<EndpointHealth['findCommands']>>,
  ): Promise<string[]> {
    const wokenEndpointIds: string[] = [];
    const context: BatchContext = {
      ...createBatchContext(this.stack.runtime),
      config: this.stack.runtime.config,
      afterCommit: ({ completed }) => {
        for (const { outcome } of completed)
          if (outcome.ok) wokenEndpointIds.push(...(outcome.prompts ?? []).map(({ id }) => id));
      },
    };
    await runIsolated(context, commands ?? (await this.findCommands(id)));
    return wokenEndpointIds;
  }

  /** Returns the events about an endpoint, oldest first. */
  async readEvents(id: string): Promise<Json[]> {
    const text = `select body from events where tenant_id = $1
                    and $2 in (body::jsonb #>> '{data,object,id}', body::jsonb #>> '{data,endpoint,id}') order by xid, id`;
    return (await this.queryRows<{ body: string }>(text, [this.tenantId, id])).map(({ body }) =>
      JSON.parse(body),
    );
  }

  async readEventTypes(id: string): Promise<string[]> {
    return (await this.readEvents(id)).map(({ type }) => type);
  }

  /** Returns the notices about an endpoint, oldest first. */
  readNotices(id: string): Promise<Json[]> {
    const text = 'select * from notices where tenant_id = $1 and entity_id = $2 order by created_at, id';
    return this.queryRows(text, [this.tenantId, id]);
  }

  /** Returns an endpoint's audit entries that contain changes, oldest first. */
  async readAuditEntries(id: string): Promise<Json[]> {
    const text = `select action, actor_name, changes from audit_entries where tenant_id = $1 and entity_id = $2 and changes <> '[]' order by id`;
    return this.queryRows(text, [this.tenantId, id]);
  }
}
