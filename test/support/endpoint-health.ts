import { findHealthSteps } from '../../shared/resources/webhook-endpoints/health-sweep.js';
import { runIsolated } from '../../workers/writes/isolate.js';
import type { BatchContext } from '../../workers/writes/run-batch.js';
import { batchContextOf } from './batch-context.js';
import type { Json } from './client.js';
import type { TestStack } from './stack.js';
import { insertDeliveries, insertEndpoint } from './webhook-rows.js';

/** Endpoints of one tenant, with what their delivery workers would have written set by hand, and a clock that is asked instead of awaited. */
export class EndpointHealth {
  constructor(
    readonly stack: TestStack,
    readonly tenantId: string,
  ) {}

  /** An enabled endpoint with a lane. */
  endpoint(): Promise<string> {
    return insertEndpoint(this, { url: 'https://receiver.example.com/hook?key=secret' });
  }

  rows<R = Json>(text: string, values: unknown[]): Promise<R[]> {
    return this.stack.rows<R>(this.tenantId, text, values);
  }

  /** What a delivery worker writes of an endpoint. @param set assignments in SQL */
  async lane(id: string, set: string): Promise<void> {
    const text = `update webhook_lanes set ${set} where tenant_id = $1 and endpoint_id = $2`;
    await this.rows(text, [this.tenantId, id]);
  }

  /** It has failed for so many hours, a hundred times, the last time so many hours ago. */
  failing(id: string, hours: number, lastAgo = 0): Promise<void> {
    return this.lane(
      id,
      `failing_since = now() - interval '${hours} hours', last_failure_at = now() - interval '${lastAgo} hours',
       consecutive_failures = 100, last_error = 'http_503'`,
    );
  }

  /** It accepted something just now. */
  succeeded(id: string): Promise<void> {
    return this.lane(
      id,
      'failing_since = null, consecutive_failures = 0, last_success_at = clock_timestamp()',
    );
  }

  async read(id: string): Promise<Json> {
    const text = `select l.*, e.* from webhook_endpoints e join webhook_lanes l on l.tenant_id = e.tenant_id and l.endpoint_id = e.id
                  where e.tenant_id = $1 and e.id = $2`;
    return (await this.rows(text, [this.tenantId, id]))[0];
  }

  /** An exhausted delivery to it, counted in its lane; resolves with its id. */
  async exhausted(endpointId: string): Promise<string> {
    const made = await insertDeliveries(this, [{ endpoint_id: endpointId, status: 'exhausted' }]);
    const [id] = made as [string];
    await this.lane(endpointId, `exhausted_count = exhausted_count + 1, last_exhausted_id = '${id}'`);
    return id;
  }

  /** What the clock finds about an endpoint. */
  async found(id: string) {
    const { db } = this.stack.runtime;
    const commands = await db.transaction([this.tenantId], (tx) => findHealthSteps(tx, 1000));
    return commands.filter(({ entityId }) => entityId === id);
  }

  /** What the clock does about an endpoint, the way the writes workers do it. @returns the endpoints whose workers were woken */
  async pass(id: string, commands?: Awaited<ReturnType<EndpointHealth['found']>>): Promise<string[]> {
    const woken: string[] = [];
    const context: BatchContext = {
      ...batchContextOf(this.stack.runtime),
      config: this.stack.runtime.config,
      afterCommit: ({ settled }) => {
        for (const { outcome } of settled) if (outcome.ok) woken.push(...(outcome.wokenEndpoints ?? []));
      },
    };
    await runIsolated(context, commands ?? (await this.found(id)));
    return woken;
  }

  /** Events about an endpoint, oldest first. */
  async events(id: string): Promise<Json[]> {
    const text = `select body from events where tenant_id = $1
                    and $2 in (body::jsonb #>> '{data,object,id}', body::jsonb #>> '{data,endpoint,id}') order by xid, id`;
    return (await this.rows<{ body: string }>(text, [this.tenantId, id])).map(({ body }) => JSON.parse(body));
  }

  async types(id: string): Promise<string[]> {
    return (await this.events(id)).map(({ type }) => type);
  }

  /** Notices about an endpoint, oldest first. */
  notices(id: string): Promise<Json[]> {
    const text = 'select * from notices where tenant_id = $1 and entity_id = $2 order by created_at, id';
    return this.rows(text, [this.tenantId, id]);
  }

  /** What the audit log tells of an endpoint: its actions that changed something, oldest first. */
  async audited(id: string): Promise<Json[]> {
    const text = `select action, actor_name, changes from audit_entries where tenant_id = $1 and entity_id = $2 and changes <> '[]' order by id`;
    return this.rows(text, [this.tenantId, id]);
  }
}
