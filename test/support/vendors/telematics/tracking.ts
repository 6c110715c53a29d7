import { expect } from 'chai';
import { Vendors } from '../../../../shared/integrations/contract/vendor.js';
import { openIntegrationsQueue, wakeConnectionQueues } from '../../../../shared/queues/integrations.js';
import type { Json } from '../../client.js';
import { eventually } from '../../poll.js';
import { type StackOptions, TestStack, type TestTenant } from '../../stack.js';
import { useShared } from '../../use-stack.js';
import type { Fleet } from '../doubles/fleet/fleet.js';
import type { FleetDouble } from '../doubles/fleet/fleet-double.js';
import { TRACKED_VENDORS, type TrackedVendor, VENDOR_NAMES, type VendorName } from './vendors.js';

type Doubles = Readonly<Record<VendorName, FleetDouble>>;

/**
 * Returns a stack that all files share. Its accounts track trucks through doubles of the vendors.
 * After each test, the connections of its accounts end, so that none calls a double later.
 */
export function useTrackingStack(): TrackingStack {
  const tracking = useShared(
    'tracking',
    () => TrackingStack.start(),
    (running) => running.stop(),
  );
  afterEach(async () => {
    for (const double of Object.values(tracking.doubles)) {
      double.reset();
      await double.webhooks.settle();
    }
    await tracking.disconnectAll();
    expect(tracking.listViolations()).to.deep.equal([]);
  });
  return tracking;
}

/** A stack whose accounts track trucks through doubles of the vendors. */
export class TrackingStack {
  private readonly accounts: TrackingAccount[] = [];

  private constructor(
    readonly stack: TestStack,
    readonly doubles: Doubles,
  ) {}

  static async start(options: StackOptions = {}): Promise<TrackingStack> {
    const started = VENDOR_NAMES.map(
      async (name) => [name, await TRACKED_VENDORS[name].createDouble().start()] as const,
    );
    const doubles = Object.fromEntries(await Promise.all(started)) as Doubles;
    const settings = VENDOR_NAMES.map((name) => [name, { base_url: doubles[name].origin }]);
    const stack = await TestStack.start({
      integrations: true,
      vendors: new Vendors(VENDOR_NAMES.map((name) => TRACKED_VENDORS[name].vendor)),
      ...options,
      environment: {
        INTEGRATIONS: JSON.stringify(Object.fromEntries(settings)),
        ...options.environment,
      },
    });
    return new TrackingStack(stack, doubles);
  }

  async stop(): Promise<void> {
    await this.stack.stop();
    for (const double of Object.values(this.doubles)) await double.stop();
  }

  listViolations(): string[] {
    return Object.values(this.doubles).flatMap(({ violations }) => violations);
  }

  /** Creates an account that is connected to a fleet, by default to one of its own. */
  async createAccount(
    vendor: VendorName,
    {
      fleet = this.doubles[vendor].openFleet(),
      settings = { poll_seconds: 5 },
      tenant,
    }: { fleet?: Fleet; settings?: object; tenant?: TestTenant } = {},
  ): Promise<TrackingAccount> {
    const owner = tenant ?? (await this.stack.createTenant());
    const account = new TrackingAccount(this, { name: vendor, tenant: owner, fleet });
    this.accounts.push(account);
    await account.connect(settings);
    return account;
  }

  /** Creates an account with one truck whose position the vendor has reported. */
  async createTracked(
    vendor: VendorName,
  ): Promise<{ account: TrackingAccount; vehicle: string; truck: string }> {
    const fleet = this.doubles[vendor].openFleet();
    const { id: vehicle } = fleet.addVehicle();
    const account = await this.createAccount(vendor, { fleet });
    const truck = await account.createTruckFor(vehicle);
    await account.waitForPositions();
    return { account, vehicle, truck };
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

/** An account that tracks its trucks through the double of a vendor. */
export class TrackingAccount {
  connectionId = '';
  webhookUrl = '';
  readonly name: VendorName;
  readonly tenant: TestTenant;
  readonly fleet: Fleet;

  constructor(
    readonly tracking: TrackingStack,
    { name, tenant, fleet }: { name: VendorName; tenant: TestTenant; fleet: Fleet },
  ) {
    this.name = name;
    this.tenant = tenant;
    this.fleet = fleet;
  }

  get vendor(): TrackedVendor {
    return TRACKED_VENDORS[this.name];
  }

  get double(): FleetDouble {
    return this.tracking.doubles[this.name];
  }

  get client() {
    return this.tenant.client;
  }

  get stack() {
    return this.tracking.stack;
  }

  async connect(settings: object): Promise<void> {
    const { status, body } = await this.client.post('/connections', {
      vendor: this.name,
      credentials: {
        [this.vendor.tokenField]: this.fleet.token,
        webhook_secret: this.vendor.webhookSecret,
      },
      settings,
    });
    expect(status, JSON.stringify(body)).to.equal(201);
    this.connectionId = body.id;
    this.webhookUrl = `${this.stack.origin}${new URL(body.webhook_url).pathname}`;
    this.fleet.webhook = { url: this.webhookUrl, token: this.vendor.webhookSecret };
    await this.waitForStatus('active');
    await this.waitForVehicles(this.fleet.vehicles.length);
  }

  async waitForStatus(status: string): Promise<Json> {
    return eventually(`the connection is ${status}`, async () => {
      const connection = (await this.client.get(`/connections/${this.connectionId}`)).body;
      return connection.status === status && connection;
    });
  }

  listVehicles = (): Promise<Json[]> => this.list('vehicles');
  listDrivers = (): Promise<Json[]> => this.list('drivers');

  private async list(kind: 'vehicles' | 'drivers'): Promise<Json[]> {
    const { status, body } = await this.client.get(`/connections/${this.connectionId}/${kind}?limit=200`);
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

  /** Reads the list of drivers now, and waits until it has as many as the fleet. */
  async readDrivers(): Promise<Json[]> {
    await this.hurryDrivers();
    return eventually('the drivers are listed', async () => {
      const drivers = await this.listDrivers();
      return drivers.length === this.fleet.drivers.length && drivers;
    });
  }

  /** A read that began earlier would end later, and put off the next one. So waits for its end. */
  async hurryDrivers(): Promise<void> {
    await eventually(
      'the drivers are read',
      async () => ((await this.readStream('drivers'))?.in_seconds ?? 0) > 0,
    );
    await this.hurry(['drivers']);
  }

  async findDriver(externalId: string): Promise<Json> {
    const found = (await this.listDrivers()).find(({ external_id }) => external_id === externalId);
    expect(found, `driver ${externalId}`).to.not.equal(undefined);
    return found as Json;
  }

  linkDriver(externalId: string, body: object) {
    return this.client.post(`/connections/${this.connectionId}/drivers/${externalId}/link`, body);
  }

  unlinkDriver(externalId: string) {
    return this.client.delete(`/connections/${this.connectionId}/drivers/${externalId}/link`);
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

  /** Waits until a read of the positions that begins now has ended. */
  async poll(): Promise<void> {
    const { length } = this.double.listPolls(this.fleet);
    await this.hurry();
    await eventually('the positions are polled', () => this.double.listPolls(this.fleet).length > length);
    await this.waitForPositions();
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
