import { expect } from 'chai';
import type { Json, TestClient } from '../client.js';
import type { TestStack } from '../stack.js';

let serial = 0;

/** A work order with a truck and a driver, and the driver's link. */
export interface DrivenJob {
  id: string;
  number: string;
  truckId: string;
  driverId: string;
  /** Path of the driver's page. */
  path: string;
}

export const DROP_OFF = '9 Canal St, New York, NY 10013';

/** Books a work order and assigns it, so that its driver's page opens. */
export async function createDrivenJob(client: TestClient, input: Json = {}): Promise<DrivenJob> {
  serial += 1;
  const make = async (path: string, body: Json) => {
    const response = await client.post(path, body);
    expect(response.status, response.text).to.equal(201);
    return response.body;
  };
  const driver = await make('/drivers', { name: 'Sam Rivera' });
  const truck = await make('/trucks', {
    unit_number: `D-${serial}`,
    duty_class: 'light',
    status: 'available',
    driver_id: driver.id,
  });
  const { id, job_number: number } = await make('/work-orders', {
    service_type: 'tow',
    pickup_location: '12 Main St, New York',
    dropoff_location: DROP_OFF,
    contact_name: 'Dana Whitfield',
    contact_phone: '+1 212 555 0199',
    notes: 'Gate code 4411',
    vehicle: { make: 'Honda', model: 'Accord', year: 2019 },
    ...input,
  });
  await assign(client, id, truck.id);
  return { id, number, truckId: truck.id, driverId: driver.id, path: await readDriverPath(client, id) };
}

/**
 * Creates an invoice of 90 dollars for a work order. By default, approves it, so that it can be
 * paid.
 */
export async function createJobInvoice(
  client: TestClient,
  { id: work_order_id }: Pick<DrivenJob, 'id'>,
  { isApproved = true } = {},
): Promise<Json> {
  const response = await client.post('/invoices', {
    invoice_number: crypto.randomUUID().slice(0, 20),
    work_order_id,
    billing_email: 'a@example.com',
    line_items: [
      {
        name: 'Tow',
        category: 'tow',
        quantity: 1,
        unit_type: 'each',
        unit_price_cents: 9000,
        taxable: false,
      },
    ],
  });
  expect(response.status, response.text).to.equal(201);
  if (isApproved) await client.post(`/invoices/${response.body.id}/approve`, {});
  return response.body;
}

export async function assign(
  client: TestClient,
  id: string,
  truckId: string,
  more: Json = {},
): Promise<void> {
  const response = await client.post(`/work-orders/${id}/assign`, { truck_id: truckId, ...more });
  expect(response.status, response.text).to.equal(200);
}

/** Returns the path of the driver's page, from the link that a dispatcher would copy. */
export async function readDriverPath(client: TestClient, id: string): Promise<string> {
  const { body } = await client.get(`/work-orders/${id}`);
  return new URL(body.driver_url).pathname;
}

export interface PageResponse {
  status: number;
  body: Json;
  text: string;
  headers: Headers;
}

/** Sends requests as the script of a driver's page does. */
export class DriverClient {
  constructor(
    private readonly stack: TestStack,
    private readonly path: string,
    private readonly headers: Record<string, string> = {},
  ) {}

  get(part = '/state'): Promise<PageResponse> {
    return this.request(part);
  }

  act(action: Json): Promise<PageResponse> {
    const body = JSON.stringify({ id: crypto.randomUUID(), at: new Date().toISOString(), ...action });
    return this.request('/actions', {
      method: 'POST',
      body,
      headers: { 'Content-Type': 'application/json' },
    });
  }

  /** Sends a tap that concerns a payment. */
  pay(tap: Json): Promise<PageResponse> {
    return this.request('/payments', {
      method: 'POST',
      body: JSON.stringify({ id: crypto.randomUUID(), ...tap }),
      headers: { 'Content-Type': 'application/json' },
    });
  }

  addPhoto(bytes: Buffer, { id = crypto.randomUUID(), type = 'image/jpeg' } = {}): Promise<PageResponse> {
    const query = new URLSearchParams({ id, at: new Date().toISOString() });
    const body = new Uint8Array(bytes);
    return this.request(`/photos?${query}`, { method: 'POST', body, headers: { 'Content-Type': type } });
  }

  async request(part: string, init: RequestInit = {}): Promise<PageResponse> {
    const headers = { 'X-Requested-With': 'driver-page', ...init.headers, ...this.headers };
    const response = await fetch(this.stack.origin + this.path + part, { ...init, headers });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json');
    return {
      status: response.status,
      text,
      body: isJson ? JSON.parse(text) : undefined,
      headers: response.headers,
    };
  }
}
