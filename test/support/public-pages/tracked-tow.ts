import { expect } from 'chai';
import type { Json, TestClient, TestResponse } from '../client.js';

/** Where the motorist waits. */
export const PICKUP = { lat: 40.7128, lng: -74.006 };
/** Some seven miles north of {@link PICKUP}. */
export const NORTH_OF_PICKUP = { lat: 40.8128, lng: -74.006 };

let serial = 0;

/** A motorist's work order with its tracking link, and the truck that a dispatcher sends. */
export class TrackedTow {
  private constructor(
    private readonly client: TestClient,
    readonly id: string,
    readonly truckId: string,
    /** Path of the tracking page. */
    readonly path: string,
  ) {}

  static async book(
    client: TestClient,
    workOrder: Record<string, unknown> = {},
    truck: Record<string, unknown> = {},
  ): Promise<TrackedTow> {
    serial += 1;
    const unit = { unit_number: `R-${serial}`, duty_class: 'light', ...truck };
    const booked = await client.post('/work-orders', {
      service_type: 'tow',
      contact_name: 'Dana Whitfield',
      pickup: { address: '12 Elm Street', ...PICKUP },
      ...workOrder,
    });
    expect(booked.status, booked.text).to.equal(201);
    const { id: truckId } = (await client.post('/trucks', unit)).body;
    const { body } = await client.get(`/work-orders/${booked.body.id}`);
    return new TrackedTow(client, booked.body.id, truckId, new URL(body.tracking_url).pathname);
  }

  assign(eta: Date | null = null): Promise<TestResponse> {
    return this.act('assign', { truck_id: this.truckId, eta: eta?.toISOString() ?? null });
  }

  log(step: string): Promise<TestResponse> {
    return this.act('steps', { step });
  }

  /** Runs an action on the work order, and asserts that it succeeds. */
  async act(action: string, input: Json = {}): Promise<TestResponse> {
    const response = await this.client.post(`/work-orders/${this.id}/${action}`, input);
    expect(response.status, `${action}: ${response.text}`).to.be.oneOf([200, 201]);
    return response;
  }

  /** Stores a position of the truck. */
  async locate(place: { lat: number; lng: number; speed_mph?: number }, at = new Date()): Promise<void> {
    const location = { ...place, at: at.toISOString() };
    const response = await this.client.patch(`/trucks/${this.truckId}`, { location });
    expect(response.status, response.text).to.equal(200);
  }

  /** Takes all actions until the truck is on its way to the motorist. */
  async depart(eta: Date | null = null): Promise<void> {
    await this.assign(eta);
    await this.act('start');
    await this.log('en_route');
  }
}
