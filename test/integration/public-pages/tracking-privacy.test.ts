import { expect } from 'chai';
import type { Json } from '../../support/client.js';
import { TrackedTow } from '../../support/public-pages/tracked-tow.js';
import { useStack, useTenant } from '../../support/use-stack.js';

const MINUTE_MS = 60_000;

describe('privacy of the tracking page', () => {
  const stack = useStack();
  const tenant = useTenant(stack, 'Hudson Towing');

  /** Creates a record, and asserts that it has the texts that the page must not show. */
  async function create(path: string, input: Record<string, unknown>): Promise<Json> {
    const response = await tenant.client.post(path, input);
    expect(response.status, response.text).to.equal(201);
    return response.body;
  }
  const open = (path: string) => fetch(`${stack.origin}${path}`);

  it('the tracking page and its state contain only what a motorist may see, and no other text of the work order', async () => {
    const marks = Array.from({ length: 12 }, (_, nth) => `Marker${'abcdefghijkl'[nth]}`);
    const [last, phone, pickup, dropoff, notes, customerNotes, company, contact, email, driver, plate, unit] =
      marks as string[];
    const customer = await create('/customers', {
      company_name: company,
      contact_name: contact,
      email: `${email}@example.com`,
      phone: '+1 212 555 7777',
    });
    const person = await create('/drivers', { name: driver, phone: '+1 212 555 8888' });
    const tow = await TrackedTow.book(
      tenant.client,
      {
        contact_name: `Dana ${last}`,
        contact_phone: `+1 ${phone}`,
        customer_id: customer.id,
        pickup: { address: `1 ${pickup} Street`, lat: 41.23456, lng: -73.34567 },
        dropoff_location: `2 ${dropoff} Street`,
        notes,
        customer_notes: customerNotes,
        billing_email: `${email}@example.com`,
        vin: '1HGCM82633A004352',
        vehicle: { make: 'Honda', model: 'Accord', year: 2019 },
      },
      { plate, vin: '1HGCM82633A004353', driver_id: person.id, unit_number: unit },
    );
    await tow.depart(new Date(Date.now() + 12 * MINUTE_MS));
    await tow.locate({ lat: 41.34567, lng: -73.45678 });
    await create('/invoices', {
      invoice_number: 'INV-Secret',
      work_order_id: tow.id,
      line_items: [
        {
          name: 'Priced',
          quantity: 1,
          unit_type: 'each',
          category: 'tow',
          unit_price_cents: 98_765,
          total_cents: 98_765,
        },
      ],
    });
    const html = await (await open(tow.path)).text();
    const json = await (await open(`${tow.path}/state`)).text();
    for (const text of [
      'Hudson Towing',
      'Hello Dana',
      'The truck is on the way to you.',
      'Honda Accord',
      unit,
    ])
      expect(html).to.include(text);
    const hidden = [
      ...marks.filter((mark) => mark !== unit),
      '1HGCM',
      '2019',
      '41.2345',
      '73.3456',
      '41.3456',
      '73.4567',
    ];
    const { body: record } = await tenant.client.get(`/work-orders/${tow.id}`);
    hidden.push(
      record.job_number,
      tow.id,
      tow.truckId,
      tenant.id,
      customer.id,
      person.id,
      '+1 212',
      'INV-Secret',
      '98765',
      '987.65',
    );
    for (const secret of hidden)
      for (const shown of [html, json])
        expect(shown.toLowerCase(), secret).to.not.include(secret.toLowerCase());
    const state = JSON.parse(json);
    expect(Object.keys(state)).to.have.members(['state', 'has_ended', 'texts', 'estimate', 'steps', 'plan']);
    expect(Object.keys(state.texts)).to.have.members([
      'headline',
      'eta',
      'eta_in',
      'truck',
      'vehicle',
      'position',
      'updated',
    ]);
    expect(Object.keys(state.plan)).to.have.members(['x', 'y']);
  });
});
