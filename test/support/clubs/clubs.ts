import { expect } from 'chai';
import { newId } from '../../../shared/platform/ids.js';
import type { Json, TestClient, TestResponse } from '../client.js';
import type { TestStack, TestTenant } from '../stack.js';

/** A motor club with its key in an account. */
export interface Club {
  name: string;
  client: TestClient;
  keyId: string;
  clubId: string;
}

/** Creates a motor club's key by REST, as an administrator does. */
export async function addClub(
  stack: TestStack,
  admin: TestClient,
  name = 'Interstate Motor Club',
): Promise<Club> {
  const { status, body, text } = await admin.post('/api-keys', { name, permissions: ['club_offers'] });
  expect(status, text).to.equal(201);
  return { name, client: stack.createClient(body.key), keyId: body.id, clubId: body.club_id };
}

export function buildOffer(more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    reference: `REF-${newId()}`,
    service_type: 'light_duty_tow',
    pickup: { address: 'I-87 N at exit 4', lat: 42.7156, lng: -73.8246 },
    dropoff_location: '12 Canal Street, Albany',
    vehicle: { make: 'Honda', model: 'Accord', year: 2019 },
    contact_name: 'Ann Motorist',
    contact_phone: '+1 212 555 0142',
    po_number: 'PO-88213',
    offered_cents: 8500,
    ...more,
  };
}

/** Offers a job, and returns the record. */
export async function offerJob(club: Club, more: Record<string, unknown> = {}): Promise<Json> {
  const { status, body, text } = await club.client.post('/club-offers', buildOffer(more));
  expect(status, text).to.equal(201);
  return body;
}

export function accept(
  { client }: Pick<TestTenant, 'client'>,
  offer: { id: string },
  more: Record<string, unknown> = {},
): Promise<TestResponse> {
  return client.post(`/club-offers/${offer.id}/accept`, { eta_minutes: 35, ...more });
}

/** Moves `respond_by` of an offer into the past, as if the time had gone by. */
export async function letTimePass(stack: TestStack, tenantId: string, offerId: string): Promise<void> {
  const text =
    "update club_offers set respond_by = now() - interval '1 millisecond' where tenant_id = $1 and id = $2";
  await stack.rows(tenantId, text, [tenantId, offerId]);
}

/** Offers a job that no test outlasts, with this text in its free texts. Returns its id. */
export async function offerForAnHour(club: Club, text = 'Crawl'): Promise<string> {
  const respond_by = new Date(Date.now() + 3_500_000).toISOString();
  const offer = await offerJob(club, { respond_by, contact_name: text, notes: text, dropoff_location: text });
  return offer.id;
}

/** True for operations that only a motor club's key may call. */
export function needsClub({ name }: { name: string }): boolean {
  return /^POST \/club-offers(\/\{id\}\/(confirm|withdraw|gone))?$/.test(name);
}

/**
 * Creates an offer in the state that the operation requires, and frees the account's truck for an
 * acceptance. Returns the id of the offer.
 */
export async function createOfferFor(
  operation: string,
  account: Pick<TestTenant, 'client'> & { club: Club; ids: Readonly<Record<string, unknown>> },
): Promise<string> {
  const id = await offerForAnHour(account.club);
  if (operation.endsWith('/accept')) await freeTruck(account.client, String(account.ids.truck));
  if (/confirm|gone/.test(operation)) expect((await accept(account, { id })).status).to.equal(200);
  return id;
}

async function freeTruck(client: TestClient, truckId: string): Promise<void> {
  const { body } = await client.get('/work-orders?status=dispatched,in_progress&limit=200');
  for (const order of body.data.items.filter((one: Json) => one.truck_id === truckId)) {
    const { status, text } = await client.post(`/work-orders/${order.id}/unassign`, {});
    expect(status, text).to.equal(200);
  }
}
