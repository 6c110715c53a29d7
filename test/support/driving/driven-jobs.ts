import { expect } from 'chai';
import { newId } from '../../../shared/platform/ids.js';
import { keepPositions } from '../../../shared/resources/trucks/keep-positions.js';
import { moveTrucks } from '../../../shared/resources/trucks/positions.js';
import type { Json } from '../client.js';
import { createClockTasks } from '../clock.js';
import { eventually } from '../poll.js';
import type { TestStack, TestTenant } from '../stack.js';
import { addReadings, driveNorth, type Leg, TOW_LEGS } from './drives.js';

const MINUTE = 60_000;

interface StoredDrive {
  legs?: readonly Leg[];
  startMs: number;
  /** What the odometer shows. Without it, the truck has none. */
  odometer?: Parameters<typeof addReadings>[1];
}

/** Stores past positions of a truck, as the worker does that reads them from a vendor. */
export async function storeDrive(
  stack: TestStack,
  { tenantId, truckId }: { tenantId: string; truckId: string },
  { legs = TOW_LEGS, startMs, odometer }: StoredDrive,
): Promise<void> {
  const positions = driveNorth(legs, { startMs });
  const at = ({ atMs }: { atMs: number }) => new Date(atMs).toISOString();
  const reports = positions.map(({ speedMph, atMs, lat, lng }) => ({
    lat,
    lng,
    truck_id: truckId,
    heading: 0,
    speed_mph: speedMph,
    at: at({ atMs }),
  }));
  const odometers = (odometer ? addReadings(positions, odometer) : []).flatMap(({ reading }) =>
    reading ? [{ truck_id: truckId, miles: reading.miles, source: reading.source, at: at(reading) }] : [],
  );
  await stack.runtime.db.transaction([tenantId], async (tx) => {
    await moveTrucks(tx, tenantId, reports.slice(-1), odometers.slice(-1));
    keepPositions(tx, { tenantId, connectionId: newId() }, { reports, odometers, intervalMs: 30_000 });
  });
}

/** A work order whose truck began `ageMinutes` ago to drive {@link TOW_LEGS}. */
export class DrivenJob {
  private constructor(
    private readonly stack: TestStack,
    private readonly tenant: TestTenant,
    readonly id: string,
    readonly truckId: string,
    readonly startMs: number,
  ) {}

  static async dispatch(stack: TestStack, tenant: TestTenant, ageMinutes = 100): Promise<DrivenJob> {
    const { client } = tenant;
    const truck = await client.post('/trucks', { unit_number: newId().slice(-12), duty_class: 'light' });
    const { body } = await client.post('/work-orders', { service_type: 'tow' });
    // Ids of positions have whole milliseconds, so the drive begins at one.
    const startMs = Math.floor((Date.now() - ageMinutes * MINUTE) / 30_000) * 30_000;
    const job = new DrivenJob(stack, tenant, body.id, truck.body.id, startMs);
    await job.assign();
    return job;
  }

  /** Assigns the truck, as if it had been done at the start of the drive. */
  async assign(): Promise<void> {
    await this.tenant.client.post(`/work-orders/${this.id}/assign`, { truck_id: this.truckId });
    await this.stack.rows(
      this.tenant.id,
      'update work_orders set dispatch_time = $3 where tenant_id = $1 and id = $2',
      [this.tenant.id, this.id, this.timeAt(0)],
    );
  }

  storeDrive(legs: readonly Leg[] = TOW_LEGS, odometer?: StoredDrive['odometer']): Promise<void> {
    const truck = { tenantId: this.tenant.id, truckId: this.truckId };
    return storeDrive(this.stack, truck, { legs, startMs: this.startMs, ...(odometer ? { odometer } : {}) });
  }

  /** Links the truck to a vehicle of a telematics vendor. */
  async linkTruck(): Promise<void> {
    const text = `with made as (
        insert into connections (tenant_id, id, vendor, kind, status, environment, webhook_url)
        values ($1, $2, 'samsara', 'telematics', 'active', 'live', 'https://hooks.invalid') returning id)
      insert into external_ids (tenant_id, connection_id, kind, local_id, external_id)
      select $1, id, 'truck', $3, 'vehicle' from made`;
    await this.stack.rows(this.tenant.id, text, [this.tenant.id, newId(), this.truckId]);
  }

  /** Logs steps at these minutes of the drive. */
  async logSteps(steps: Readonly<Record<string, number>>): Promise<void> {
    for (const [step, minute] of Object.entries(steps))
      await this.tenant.client.post(`/work-orders/${this.id}/steps`, { step, at: this.timeAt(minute) });
  }

  async complete(minute = 80, miles?: number): Promise<void> {
    await this.tenant.client.post(`/work-orders/${this.id}/start`, {});
    const body = { at: this.timeAt(minute), ...(miles === undefined ? {} : { miles }) };
    await this.tenant.client.post(`/work-orders/${this.id}/complete`, body);
  }

  /** Cancels the work order, as if it had been done at this minute of the drive. */
  async cancel(minute: number, reason = 'goa'): Promise<void> {
    const cancelled = await this.tenant.client.post(`/work-orders/${this.id}/cancel`, { reason });
    expect(cancelled.status, cancelled.text).to.equal(200);
    const text = 'update work_orders set drive_until = $3 where tenant_id = $1 and id = $2';
    await this.stack.rows(this.tenant.id, text, [this.tenant.id, this.id, this.timeAt(minute)]);
  }

  /** Lets the clock look as if the drive had been due for so long. */
  async runClock(minutes: number): Promise<void> {
    const hurry = `update work_orders set drive_due_at = now() - $3 * interval '1 minute'
      where tenant_id = $1 and id = $2 and drive_due_at is not null`;
    await this.stack.rows(this.tenant.id, hurry, [this.tenant.id, this.id, minutes]);
    await createClockTasks(this.stack.runtime)('measure-drives');
  }

  /** Lets the clock measure now. Returns the work order after that. */
  async measure(): Promise<Json> {
    const values = [this.tenant.id, this.id];
    await this.runClock(61);
    await eventually('nothing is due', async () => {
      const text = 'select drive_due_at from work_orders where tenant_id = $1 and id = $2';
      return (await this.stack.rows(this.tenant.id, text, values))[0]?.drive_due_at === null;
    });
    return this.read();
  }

  async read(): Promise<Json> {
    return (await this.tenant.client.get(`/work-orders/${this.id}`)).body;
  }

  private timeAt(minute: number): string {
    return new Date(this.startMs + minute * MINUTE).toISOString();
  }
}
