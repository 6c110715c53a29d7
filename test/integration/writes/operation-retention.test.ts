import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { purgeExpired, purgeSweep, storeOperation } from '../../../shared/operations/store.js';
import { prepareSchedule } from '../../../workers/sweeps/schedule.js';
import { eventually } from '../../support/poll.js';
import type { TestTenant } from '../../support/stack.js';
import { useStack } from '../../support/use-stack.js';
import { insertDeliveries, insertEndpoint } from '../../support/webhooks/webhook-rows.js';
import { buildCommand } from '../../support/writes/commands.js';

const ROWS = 1000;

describe('retention of operations', () => {
  const stack = useStack({ clock: true });
  let tenant: TestTenant;

  beforeEach(async () => {
    tenant = await stack.createTenant();
  });

  const purge = () => stack.runtime.db.transaction([tenant.id], (tx) => purgeExpired(tx, ROWS));
  const backdate = (table: string, column: string, hours: number) =>
    stack.rows(tenant.id, `update ${table} set ${column} = ${column} - interval '${hours} hours'`);
  const countRows = async (table: string) => (await stack.rows(tenant.id, `select from ${table}`)).length;
  const listCustomers = () => tenant.client.get('/customers');

  /** Stores an operation that the clock can lease only after `leaseSeconds`. */
  async function storeLeasedOperation(idempotencyKey: string, leaseSeconds: number): Promise<void> {
    const command = buildCommand('customer.create', tenant.id, { company_name: 'Kept' }, { idempotencyKey });
    await storeOperation(stack.runtime.db, command, leaseSeconds);
  }

  it('an acknowledged write runs even after more than a day without workers', async () => {
    await storeLeasedOperation(randomUUID(), 3600);
    await backdate('operations', 'created_at', 48);
    await purge();
    expect(await countRows('operations')).to.equal(1);
    await backdate('operations', 'lease_until', 2);
    await eventually('the customer to exist', async () => (await listCustomers()).body.data.count === 1);
    await purge();
    expect(await countRows('operations')).to.equal(0);
  });

  it('an operation never runs if a retry did its work, even after purges', async () => {
    const key = randomUUID();
    const headers = { 'idempotency-key': key };
    expect((await tenant.client.post('/customers', { company_name: 'Kept' }, { headers })).status).to.equal(
      201,
    );
    await storeLeasedOperation(key, 3600);
    // Make the idempotency record slightly older than a day, and the operation slightly younger.
    // The purge must keep both, because only the record shows that the operation has run.
    await backdate('idempotency_keys', 'created_at', 24.01);
    await backdate('operations', 'created_at', 23.99);
    await purge();
    expect(await countRows('operations')).to.equal(1);
    expect(await countRows('idempotency_keys')).to.equal(1);
    await backdate('operations', 'created_at', 1);
    await backdate('idempotency_keys', 'created_at', 1);
    await purge();
    expect([await countRows('operations'), await countRows('idempotency_keys')]).to.deep.equal([0, 0]);
  });

  it('the purge deletes attempts of suspected commands after a day, but no parked command', async () => {
    const insert = (parked: string) =>
      stack.rows(
        tenant.id,
        `insert into command_attempts (tenant_id, command_id, command, parked_at) values ($1, $2, '{}', ${parked})`,
        [tenant.id, randomUUID()],
      );
    await insert('null');
    await insert('now()');
    await purge();
    expect(await countRows('command_attempts')).to.equal(2);
    await backdate('command_attempts', 'last_attempt_at', 25);
    await purge();
    expect(
      await stack.rows(tenant.id, 'select parked_at is not null as parked from command_attempts'),
    ).to.deep.equal([{ parked: true }]);
  });

  it('the purge deletes signing secrets a day after they expire and replays 30 days after they complete', async () => {
    const endpointId = randomUUID();
    const insert = (text: string) => stack.rows(tenant.id, text, [tenant.id, endpointId]);
    await insert(
      "insert into webhook_endpoints (tenant_id, id, url, event_types, max_in_flight) values ($1, $2, 'https://example.com', '{*}', 1)",
    );
    for (const expiresAt of ['null', 'now()'])
      await insert(
        `insert into webhook_secrets (tenant_id, id, endpoint_id, scheme, secret_sealed, expires_at)
         values ($1, gen_random_uuid(), $2, 'v1', 'x', ${expiresAt})`,
      );
    for (const completedAt of ['null', 'now()'])
      await insert(
        `insert into webhook_replays (tenant_id, id, endpoint_id, kind, filter, total, completed_at)
         values ($1, gen_random_uuid(), $2, 'replay', '{}', 1, ${completedAt})`,
      );
    const countSecretsAndReplays = async () => [
      await countRows('webhook_secrets'),
      await countRows('webhook_replays'),
    ];
    await backdate('webhook_secrets', 'expires_at', 23);
    await backdate('webhook_replays', 'completed_at', 30 * 24 - 1);
    await purge();
    expect(await countSecretsAndReplays()).to.deep.equal([2, 2]);
    await backdate('webhook_secrets', 'expires_at', 2);
    await backdate('webhook_replays', 'completed_at', 2);
    await purge();
    expect(await countSecretsAndReplays()).to.deep.equal([1, 1]);
  });

  it('the purge deletes the queue of an endpoint deleted a day ago if no delivery is open and no worker owns it', async () => {
    const account = { stack, tenantId: tenant.id };
    const [idleEndpoint, openEndpoint, leasedEndpoint, recentEndpoint] = [
      await insertEndpoint(account),
      await insertEndpoint(account),
      await insertEndpoint(account),
      await insertEndpoint(account),
    ];
    const activeEndpoint = await insertEndpoint(account);
    const [delivery] = await insertDeliveries(account, [{ endpoint_id: openEndpoint }]);
    const lease = (endpointId: string, until: string) =>
      stack.rows(
        tenant.id,
        `update webhook_lanes set owner = $1, lease_until = now() + interval '${until}' where tenant_id = $1 and endpoint_id = $2`,
        [tenant.id, endpointId],
      );
    await lease(leasedEndpoint, '1 hour');
    await lease(idleEndpoint, '-1 second');
    // Mark the endpoints as deleted only now, because the clock may purge their queues immediately.
    const markDeleted = (ids: string[], hours: number) =>
      stack.rows(
        tenant.id,
        `update webhook_endpoints set deleted_at = now() - interval '${hours} hours' where tenant_id = $1 and id = any($2)`,
        [tenant.id, ids],
      );
    await markDeleted([idleEndpoint, openEndpoint, leasedEndpoint], 25);
    await markDeleted([recentEndpoint], 0);
    const listEndpointQueues = async () =>
      (await stack.rows<{ endpoint_id: string }>(tenant.id, 'select endpoint_id from webhook_lanes')).map(
        (queue) => queue.endpoint_id,
      );
    await purge();
    expect(await listEndpointQueues()).to.have.members([
      openEndpoint,
      leasedEndpoint,
      recentEndpoint,
      activeEndpoint,
    ]);
    await stack.rows(
      tenant.id,
      "update webhook_deliveries set status = 'cancelled', next_attempt_at = null where tenant_id = $1 and id = $2",
      [tenant.id, delivery],
    );
    await purge();
    expect(await listEndpointQueues()).to.have.members([leasedEndpoint, recentEndpoint, activeEndpoint]);
  });

  it('one pass of the purge repeats until no expired row is left', async () => {
    const insert = `insert into inbound_notices (tenant_id, connection_id, dedupe_id, stream, received_at)
      select $1, $1, n::text, 'messages', now() - interval '8 days' from generate_series(1, 25) n`;
    await stack.rows(tenant.id, insert, [tenant.id]);
    const runOnce = prepareSchedule(stack.runtime, { ...purgeSweep, limit: 10, repeatForMs: 60_000 });
    await runOnce();
    expect(await countRows('inbound_notices')).to.equal(0);
  });

  it('a pass of a sweep that never runs out of rows ends with its time', async () => {
    let passes = 0;
    const endless = {
      name: 'endless',
      everyMs: 60_000,
      limit: 1,
      changeRows: async () => {
        passes += 1;
        return 1;
      },
    };
    await prepareSchedule(stack.runtime, endless)();
    const once = passes;
    await prepareSchedule(stack.runtime, { ...endless, repeatForMs: 200 })();
    expect(passes - once).to.be.greaterThan(once);
  });
});
