import { expect } from 'chai';
import type { TestResponse } from '../../support/client.js';
import { listPublishedMembers } from '../../support/openapi-validator.js';
import { withoutLinks } from '../../support/records/samples.js';
import { useStack, useTenant } from '../../support/use-stack.js';

const jobNumber = (nth: number) => `WO-${String(nth).padStart(6, '0')}`;

describe('work orders', () => {
  const stack = useStack();
  const tenant = useTenant(stack, 'Hudson Towing');

  const create = async (body: unknown, { client } = tenant): Promise<TestResponse['body']> => {
    const response = await client.post('/work-orders', body);
    expect(response.status, response.text).to.equal(201);
    return response.body;
  };

  it('POST /work-orders needs only service_type, and returns exactly the published members, as GET does', async () => {
    const response = await tenant.client.post('/work-orders', { service_type: 'roadside_service' });
    expect(response.status, response.text).to.equal(201);
    expect(Object.keys(response.body)).to.deep.equal(listPublishedMembers('WorkOrder'));
    expect(response.body).to.include({
      status: 'pending',
      billing_status: 'unbilled',
      service_type: 'roadside_service',
    });
    const unset = [
      'customer_id',
      'pickup_location',
      'dropoff_location',
      'dispatch_time',
      'completion_time',
      'vin',
      'notes',
      'customer_notes',
      'billing_email',
      'unit_number',
      'truck_id',
      'driver_id',
      'step',
      'eta',
      'miles',
      'cancel_reason',
      'cancel_note',
    ];
    expect(unset.map((member) => response.body[member])).to.deep.equal(unset.map(() => null));
    expect(response.body.pickup).to.deep.equal({ address: null, lat: null, lng: null });
    expect(response.body.dropoff).to.deep.equal({ address: null, lat: null, lng: null });
    expect(response.body.vehicle).to.deep.equal({ make: null, model: null, year: null });
    expect(response.headers.location).to.equal(`/v1/work-orders/${response.body.id}`);
    expect((await tenant.client.get(`/work-orders/${response.body.id}`)).text).to.equal(response.text);
    expect((await tenant.client.get('/work-orders?limit=1')).body.data.items).to.deep.equal([
      withoutLinks(response.body),
    ]);
  });

  it("POST /work-orders stores the specification's fields and its example's customer_id, pickup and vehicle", async () => {
    const customer = (await tenant.client.post('/customers', { company_name: 'Club' })).body;
    const flat = {
      service_type: 'light_duty_tow',
      customer_id: customer.id,
      dropoff_location: 'Yard 4',
      vin: '1HGCM82633A004352',
      contact_name: 'Ana',
      contact_phone: '+1 212 555 0100',
      notes: 'Gate code 4',
      unit_number: 'U-7',
    };
    const pickup = { address: '5 Main St', lat: 40.7128, lng: -74.006 };
    const vehicle = { make: 'Honda', model: 'Accord', year: 2019 };
    const order = await create({ ...flat, pickup, vehicle });
    expect(order).to.include({ ...flat, pickup_location: '5 Main St' });
    expect(order.pickup).to.deep.equal(pickup);
    expect(order.vehicle).to.deep.equal(vehicle);
  });

  for (const place of ['pickup', 'dropoff']) {
    const location = `${place}_location`;

    it(`POST and PATCH of work orders prefer ${location} to the address of the object ${place}`, async () => {
      const order = await create({
        service_type: 'tow',
        [location]: 'flat',
        [place]: { address: 'nested', lat: 1, lng: 2 },
      });
      expect(order[location]).to.equal('flat');
      expect(order[place]).to.deep.equal({ address: 'flat', lat: 1, lng: 2 });
      const patch = async (body: object) =>
        (await tenant.client.patch(`/work-orders/${order.id}`, body)).body;
      const moved = await patch({ [place]: { address: 'moved' } });
      expect(moved[place]).to.deep.equal({ address: 'moved', lat: 1, lng: 2 });
      expect(moved[location]).to.equal('moved');
      const cleared = await patch({ [location]: null, [place]: { address: 'nested', lat: 3 } });
      expect(cleared[place]).to.deep.equal({ address: null, lat: 3, lng: 2 });
      expect((await tenant.client.get(`/work-orders/${order.id}`)).body[place]).to.deep.equal(cleared[place]);
    });
  }

  it('pickup and dropoff of a work order are two places: a PATCH of one keeps the other', async () => {
    const pickup = { address: 'a', lat: 1, lng: 2 };
    const order = await create({ service_type: 'tow', pickup, dropoff: { address: 'b', lat: 3, lng: 4 } });
    expect(order).to.include({ pickup_location: 'a', dropoff_location: 'b' });
    const { body } = await tenant.client.patch(`/work-orders/${order.id}`, { dropoff: { lng: -5 } });
    expect([body.pickup, body.dropoff]).to.deep.equal([pickup, { address: 'b', lat: 3, lng: -5 }]);
  });

  it('POST /work-orders accepts any slug as service_type, published or not', async () => {
    expect((await create({ service_type: 'drone_rescue' })).service_type).to.equal('drone_rescue');
  });

  it('PATCH /work-orders/{id} changes every fact, but not status, step, truck, driver or job number', async () => {
    const order = await create({ service_type: 'tow' });
    const customer = (await tenant.client.post('/customers', { company_name: 'Later' })).body;
    const facts = {
      service_type: 'lockout',
      customer_id: customer.id,
      pickup_location: 'a',
      dropoff_location: 'b',
      vin: 'V1',
      unit_number: '9',
      contact_name: 'c',
      contact_phone: '1',
      notes: 'n',
    };
    const moves = {
      status: 'completed',
      step: 'cleared',
      truck_id: customer.id,
      driver_id: customer.id,
      job_number: 'X',
    };
    const patched = await tenant.client.patch(`/work-orders/${order.id}`, { ...facts, ...moves });
    expect(patched.status, patched.text).to.equal(200);
    const places = {
      pickup: { address: 'a', lat: null, lng: null },
      dropoff: { address: 'b', lat: null, lng: null },
    };
    expect(patched.body).to.deep.equal({
      ...order,
      ...facts,
      ...places,
      updated_at: patched.body.updated_at,
    });
  });

  describe('job numbers of work orders', () => {
    it('job numbers start at WO-000001 in each account and in its sandbox', async () => {
      const fresh = await stack.createTenant('Fresh');
      expect((await create({ service_type: 'tow' }, fresh)).job_number).to.equal(jobNumber(1));
      expect((await create({ service_type: 'tow' }, fresh)).job_number).to.equal(jobNumber(2));
      expect(
        (await create({ service_type: 'tow' }, { ...fresh, client: fresh.sandbox })).job_number,
      ).to.equal(jobNumber(1));
    });

    it('job numbers of 50 concurrent bookings in each of two accounts have no gap and no duplicate', async () => {
      const tenants = [await stack.createTenant('One'), await stack.createTenant('Two')];
      const bookings = Array.from({ length: 100 }, (_, index) =>
        create({ service_type: 'tow' }, tenants[index % 2]),
      );
      const orders = await Promise.all(bookings);
      for (const parity of [0, 1]) {
        const numbers = orders.filter((_, index) => index % 2 === parity).map((order) => order.job_number);
        expect(numbers.sort()).to.deep.equal(Array.from({ length: 50 }, (_, index) => jobNumber(index + 1)));
      }
    });

    it('a refused booking uses no job number', async () => {
      const fresh = await stack.createTenant('Careful');
      await create({ service_type: 'tow' }, fresh);
      const customer_id = crypto.randomUUID();
      expect((await fresh.client.post('/work-orders', { service_type: 'tow', customer_id })).status).to.equal(
        400,
      );
      expect((await create({ service_type: 'tow' }, fresh)).job_number).to.equal(jobNumber(2));
    });

    it('job numbers continue past six digits without a gap', async () => {
      const fresh = await stack.createTenant('Old hand');
      await create({ service_type: 'tow' }, fresh);
      await stack.rows(
        fresh.id,
        "update tenant_counters set value = 999999 where tenant_id = $1 and name = 'job_number'",
        [fresh.id],
      );
      expect((await create({ service_type: 'tow' }, fresh)).job_number).to.equal('WO-1000000');
    });
  });
});
