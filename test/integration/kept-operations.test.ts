import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { purgeExpired, storeOperation } from '../../shared/resources/operations/store.js';
import { commandOf } from '../support/commands.js';
import { eventually } from '../support/poll.js';
import { TestStack, type TestTenant } from '../support/stack.js';
import { insertDeliveries, insertEndpoint } from '../support/webhook-rows.js';

const ROWS = 1000;

describe('what is kept of operations', () => {
  let stack: TestStack;
  let tenant: TestTenant;

  beforeEach(async () => {
    stack = await TestStack.start();
    tenant = await stack.createTenant();
  });
  afterEach(() => stack.stop());

  const purge = () => stack.runtime.db.transaction([tenant.id], (tx) => purgeExpired(tx, ROWS));
  const age = (table: string, column: string, hours: number) =>
    stack.rows(tenant.id, `update ${table} set ${column} = ${column} - interval '${hours} hours'`);
  const count = async (table: string) => (await stack.rows(tenant.id, `select from ${table}`)).length;
  const customers = () => tenant.client.get('/customers');

  /** An operation that the clock may take only once its lease is over. */
  async function store(idempotencyKey: string, leaseSeconds: number): Promise<void> {
    const command = commandOf('customer.create', tenant.id, { company_name: 'Kept' }, { idempotencyKey });
    await storeOperation(stack.runtime.db, command, leaseSeconds);
  }

  it('runs an acknowledged write even after more than a day without workers', async () => {
    await store(randomUUID(), 3600);
    await age('operations', 'created_at', 48);
    await purge();
    expect(await count('operations')).to.equal(1);
    await age('operations', 'lease_until', 2);
    await eventually('the customer is there', async () => (await customers()).body.data.count === 1);
    await purge();
    expect(await count('operations')).to.equal(0);
  });

  it('never runs an operation whose retry did the work, however much is purged', async () => {
    const key = randomUUID();
    const headers = { 'idempotency-key': key };
    expect((await tenant.client.post('/customers', { company_name: 'Kept' }, { headers })).status).to.equal(
      201,
    );
    await store(key, 3600);
    // The answer was there a moment before the operation, and the purge comes in between.
    await age('idempotency_keys', 'created_at', 24.01);
    await age('operations', 'created_at', 23.99);
    await purge();
    expect(await count('operations')).to.equal(1);
    expect(await count('idempotency_keys')).to.equal(1);
    await age('operations', 'created_at', 1);
    await age('idempotency_keys', 'created_at', 1);
    await purge();
    expect([await count('operations'), await count('idempotency_keys')]).to.deep.equal([0, 0]);
  });

  it('forgets suspicions after a day, but nothing that was set aside', async () => {
    const insert = (parked: string) =>
      stack.rows(
        tenant.id,
        `insert into command_attempts (tenant_id, command_id, command, parked_at) values ($1, $2, '{}', ${parked})`,
        [tenant.id, randomUUID()],
      );
    await insert('null');
    await insert('now()');
    await purge();
    expect(await count('command_attempts')).to.equal(2);
    await age('command_attempts', 'last_attempt_at', 25);
    await purge();
    expect(
      await stack.rows(tenant.id, 'select parked_at is not null as parked from command_attempts'),
    ).to.deep.equal([{ parked: true }]);
  });

  it('forgets secrets a day after their overlap, and replays 30 days after their end; what is in use stays', async () => {
    const endpointId = randomUUID();
    const insert = (text: string) => stack.rows(tenant.id, text, [tenant.id, endpointId]);
    await insert(
      "insert into webhook_endpoints (tenant_id, id, url, event_types, max_in_flight) values ($1, $2, 'https://example.com', '{*}', 1)",
    );
    for (const expires of ['null', 'now()'])
      await insert(
        `insert into webhook_secrets (tenant_id, id, endpoint_id, scheme, secret_sealed, expires_at)
         values ($1, gen_random_uuid(), $2, 'v1', 'x', ${expires})`,
      );
    for (const completed of ['null', 'now()'])
      await insert(
        `insert into webhook_replays (tenant_id, id, endpoint_id, kind, filter, total, completed_at)
         values ($1, gen_random_uuid(), $2, 'replay', '{}', 1, ${completed})`,
      );
    const counts = async () => [await count('webhook_secrets'), await count('webhook_replays')];
    await age('webhook_secrets', 'expires_at', 23);
    await age('webhook_replays', 'completed_at', 30 * 24 - 1);
    await purge();
    expect(await counts()).to.deep.equal([2, 2]);
    await age('webhook_secrets', 'expires_at', 2);
    await age('webhook_replays', 'completed_at', 2);
    await purge();
    expect(await counts()).to.deep.equal([1, 1]);
  });

  it('forgets lanes of endpoints deleted a day ago that have nothing open and no owner', async () => {
    const of = { stack, tenantId: tenant.id };
    const [gone, open, owned, recent] = [
      await insertEndpoint(of),
      await insertEndpoint(of),
      await insertEndpoint(of),
      await insertEndpoint(of),
    ];
    const used = await insertEndpoint(of);
    const [delivery] = await insertDeliveries(of, [{ endpoint_id: open }]);
    const lease = (endpointId: string, until: string) =>
      stack.rows(
        tenant.id,
        `update webhook_lanes set owner = $1, lease_until = now() + interval '${until}' where tenant_id = $1 and endpoint_id = $2`,
        [tenant.id, endpointId],
      );
    await lease(owned, '1 hour');
    await lease(gone, '-1 second');
    // Last of all: the clock of the stack may purge at any moment, and is to find what the test relies on.
    const remove = (ids: string[], hours: number) =>
      stack.rows(
        tenant.id,
        `update webhook_endpoints set deleted_at = now() - interval '${hours} hours' where tenant_id = $1 and id = any($2)`,
        [tenant.id, ids],
      );
    await remove([gone, open, owned], 25);
    await remove([recent], 0);
    const lanes = async () =>
      (await stack.rows<{ endpoint_id: string }>(tenant.id, 'select endpoint_id from webhook_lanes')).map(
        (lane) => lane.endpoint_id,
      );
    await purge();
    expect(await lanes()).to.have.members([open, owned, recent, used]);
    await stack.rows(
      tenant.id,
      "update webhook_deliveries set status = 'cancelled', next_attempt_at = null where tenant_id = $1 and id = $2",
      [tenant.id, delivery],
    );
    await purge();
    expect(await lanes()).to.have.members([owned, recent, used]);
  });
});
