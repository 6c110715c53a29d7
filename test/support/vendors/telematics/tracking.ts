import { expect } from 'chai';
import { Vendors } from '../../../../shared/integrations/contract/vendor.js';
import { samsara } from '../../../../shared/integrations/samsara/adapter.js';
import { openIntegrationsQueue, wakeConnectionQueues } from '../../../../shared/queues/integrations.js';
import type { Json } from '../../client.js';
import { eventually } from '../../poll.js';
import { type StackOptions, TestStack, type TestTenant } from '../../stack.js';
import { useShared } from '../../use-stack.js';
import type { SamsaraOrganisation } from '../doubles/samsara/organisation.js';
import { SamsaraDouble } from '../doubles/samsara/samsara-double.js';

export const WEBHOOK_SECRET = Buffer.from('samsara-test-secret').toString('base64');

/**
 * Returns a stack that all files share. Its accounts track trucks through a double of Samsara.
 * After each test, the connections of its accounts end, so that none calls the double later.
 */
export function useTrackingStack(): TrackingStack {
  const tracking = useShared(
    'tracking',
    () => TrackingStack.start(),
    (running) => running.stop(),
  );
  afterEach(async () => {
    const { double } = tracking;
    double.misbehave = () => undefined;
    Object.assign(double, { pageSize: 512, emptyPages: 0 });
    await double.webhooks.settle();
    await tracking.disconnectAll();
    expect(double.violations).to.deep.equal([]);
  });
  return tracking;
}

/** A stack whose accounts track trucks through a double of Samsara. */
export class TrackingStack {
  private readonly accounts: TrackingAccount[] = [];

  private constructor(
    readonly stack: TestStack,
    readonly double: SamsaraDouble,
  ) {}

  static async start(options: StackOptions = {}): Promise<TrackingStack> {
    const double = await new SamsaraDouble().start();
    const stack = await TestStack.start({
      integrations: true,
      vendors: new Vendors([samsara]),
      ...options,
      environment: {
        INTEGRATIONS: JSON.stringify({ samsara: { base_url: double.origin } }),
        ...options.environment,
      },
    });
    return new TrackingStack(stack, double);
  }

  async stop(): Promise<void> {
    await this.stack.stop();
    await this.double.stop();
  }

  /** Creates an account that is connected to an organisation, by default to one of its own. */
  async createAccount({
    organisation = this.double.openOrganisation(),
    settings = { poll_seconds: 5 },
  }: {
    organisation?: SamsaraOrganisation;
    settings?: object;
  } = {}): Promise<TrackingAccount> {
    const account = new TrackingAccount(this, await this.stack.createTenant(), organisation);
    this.accounts.push(account);
    await account.connect(settings);
    return account;
  }

  /** Ends the connections of the accounts, so that none calls the double during later tests. */
  async disconnectAll(): Promise<void> {
    for (const { tenant } of this.accounts.splice(0)) {
      const { id } = tenant;
      await this.stack.rows(id, 'delete from connection_secrets where tenant_id = $1', [id]);
      await this.stack.rows(id, "update connections set status = 'revoked' where tenant_id = $1", [id]);
    }
  }
}

/** An account that tracks its trucks through the double of Samsara. */
export class TrackingAccount {
  connectionId = '';
  webhookUrl = '';

  constructor(
    readonly tracking: TrackingStack,
    readonly tenant: TestTenant,
    readonly organisation: SamsaraOrganisation,
  ) {}

  get client() {
    return this.tenant.client;
  }

  get stack() {
    return this.tracking.stack;
  }

  async connect(settings: object): Promise<void> {
    const { status, body } = await this.client.post('/connections', {
      vendor: 'samsara',
      credentials: { api_token: this.organisation.apiToken, webhook_secret: WEBHOOK_SECRET },
      settings,
    });
    expect(status, JSON.stringify(body)).to.equal(201);
    this.connectionId = body.id;
    this.webhookUrl = `${this.stack.origin}${new URL(body.webhook_url).pathname}`;
    this.organisation.webhook = { url: this.webhookUrl, token: WEBHOOK_SECRET };
    await this.waitForStatus('active');
    await this.waitForVehicles(this.organisation.vehicles.length);
  }

  async waitForStatus(status: string): Promise<Json> {
    return eventually(`the connection is ${status}`, async () => {
      const connection = (await this.client.get(`/connections/${this.connectionId}`)).body;
      return connection.status === status && connection;
    });
  }

  async listVehicles(): Promise<Json[]> {
    const { status, body } = await this.client.get(`/connections/${this.connectionId}/vehicles?limit=200`);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body.data.items;
  }

  async waitForVehicles(count: number): Promise<Json[]> {
    return eventually(`${count} vehicles are listed`, async () => {
      const vehicles = await this.listVehicles();
      return vehicles.length === count && vehicles;
    });
  }

  async findVehicle(externalId: string): Promise<Json> {
    const found = (await this.listVehicles()).find(({ external_id }) => external_id === externalId);
    expect(found, `vehicle ${externalId}`).to.not.equal(undefined);
    return found as Json;
  }

  link(externalId: string, body: object) {
    return this.client.post(`/connections/${this.connectionId}/vehicles/${externalId}/link`, body);
  }

  unlink(externalId: string) {
    return this.client.delete(`/connections/${this.connectionId}/vehicles/${externalId}/link`);
  }

  /** Creates a truck for a vehicle and returns the truck's id. */
  async createTruckFor(externalId: string, members: object = {}): Promise<string> {
    const { status, body } = await this.link(externalId, { create: true, ...members });
    expect(status, JSON.stringify(body)).to.equal(200);
    return body.truck_id;
  }

  async readTruck(id: string): Promise<Json> {
    return (await this.client.get(`/trucks/${id}`)).body;
  }

  async waitForPlace(truckId: string, lat: number, timeoutMs?: number): Promise<Json> {
    return eventually(
      `the truck is at ${lat}`,
      async () => {
        const { location } = await this.readTruck(truckId);
        return location?.lat === lat && location;
      },
      timeoutMs,
    );
  }

  /** Waits until no read of the positions is due. */
  async waitForPositions(): Promise<void> {
    await eventually('the positions are read', async () => ((await this.readStream())?.in_seconds ?? 0) > 0);
  }

  readStream(stream = 'positions') {
    return this.stack
      .rows<{ cursor: string | null; in_seconds: number }>(
        this.tenant.id,
        `select cursor, extract(epoch from next_at - now())::float8 as in_seconds from sync_states
         where tenant_id = $1 and connection_id = $2 and stream = $3`,
        [this.tenant.id, this.connectionId, stream],
      )
      .then(([row]) => row);
  }

  /** Makes the streams of the connection due now, ends its pauses, and wakes the workers. */
  async hurry(streams: readonly string[] = ['positions']): Promise<void> {
    const { id } = this.tenant;
    await this.stack.rows(
      id,
      `update connection_queues set open_until = null, throttled_until = null, opened = 0, consecutive_failures = 0
       where tenant_id = $1 and connection_id = $2`,
      [id, this.connectionId],
    );
    await this.stack.rows(
      id,
      `update sync_states set next_at = now() where tenant_id = $1 and connection_id = $2 and stream = any($3::text[])`,
      [id, this.connectionId, streams],
    );
    const queue = openIntegrationsQueue(this.stack.runtime);
    await wakeConnectionQueues(queue, [{ tenantId: id, connectionId: this.connectionId }]);
  }
}
