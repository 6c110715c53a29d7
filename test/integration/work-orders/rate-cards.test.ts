import { expect } from 'chai';
import { expectError, listValidationErrors } from '../../support/expect-error.js';
import { listPublishedMembers } from '../../support/openapi-validator.js';
import {
  buildRateCardItem,
  createCompletedWorkOrder,
  MILEAGE_ITEM,
  makeRateCard,
} from '../../support/records/priced-work-orders.js';
import { UNKNOWN_ID } from '../../support/records/samples.js';
import { useStack, useTenant } from '../../support/use-stack.js';

const DRY_RUN = { headers: { 'x-service-dry-run': 'true' } };

describe('rate cards', () => {
  const stack = useStack();
  const tenant = useTenant(stack, 'Hudson Towing');

  const listIds = async (query: string): Promise<string[]> => {
    const response = await tenant.client.get(`/rate-cards?limit=200&${query}`);
    expect(response.status, response.text).to.equal(200);
    return response.body.data.items.map((card: { id: string }) => card.id);
  };

  it('POST /rate-cards returns exactly the published members with defaults, and GET returns the same bytes', async () => {
    const body = {
      name: 'Plain',
      effective_from: '2026-01-01',
      items: [{ category: 'hook_up', unit_type: 'flat', unit_price_cents: 7500 }],
    };
    const response = await tenant.client.post('/rate-cards', body);
    expect(response.status, response.text).to.equal(201);
    expect(Object.keys(response.body)).to.deep.equal(listPublishedMembers('RateCard'));
    expect(response.body).to.deep.include({
      version: 1,
      effective_from: '2026-01-01',
      effective_until: null,
      superseded_by: null,
      is_default: false,
      after_hours_window: { start: '18:00', end: '08:00', weekends: true },
    });
    expect(response.body.items).to.deep.equal([
      {
        name: 'Hook up',
        service_type: null,
        category: 'hook_up',
        unit_type: 'flat',
        unit_price_cents: 7500,
        included_quantity: 0,
        minimum_cents: null,
        after_hours: false,
        taxable: false,
      },
    ]);
    expect((await tenant.client.get(`/rate-cards/${response.body.id}`)).text).to.equal(response.text);
    expect((await tenant.client.get('/rate-cards?limit=1')).body.data.items).to.deep.equal([response.body]);
  });

  it('a new rate card of the same name in any case supersedes the earlier card, which keeps its content', async () => {
    const first = await makeRateCard(tenant.client, { name: 'Club', is_default: false });
    const second = await makeRateCard(tenant.client, {
      name: 'CLUB',
      effective_from: '2026-06-01',
      items: [buildRateCardItem()],
    });
    const superseded = (await tenant.client.get(`/rate-cards/${first.id}`)).body;
    expect(superseded).to.deep.equal({ ...first, effective_until: '2026-06-01', superseded_by: second.id });
    expect(second).to.deep.include({ version: 2, effective_until: null });
    for (const method of ['PATCH', 'DELETE'])
      expect((await tenant.client.send(method, `/rate-cards/${first.id}`, { body: {} })).status).to.equal(
        405,
      );
    const early = await tenant.client.post('/rate-cards', {
      name: 'club',
      effective_from: '2026-05-31',
      items: [buildRateCardItem()],
    });
    expect(expectError(early, 409, 'conflict')[0]).to.include({ field: 'effective_from', code: 'not_later' });
    const corrected = await makeRateCard(tenant.client, { name: 'Club', effective_from: '2026-06-01' });
    expect(corrected.version, 'the newer of two cards of one day applies').to.equal(3);
    const inForce = async (day: string) =>
      (await listIds(`in_force_on=${day}&search=club`)).filter((id) => id !== undefined);
    expect(await inForce('2026-05-31')).to.deep.equal([first.id]);
    expect(await inForce('2026-06-01')).to.deep.equal([corrected.id]);
    expect(await inForce('2019-12-31')).to.deep.equal([]);
  });

  it('concurrent POST /rate-cards requests with one name create consecutive versions', async () => {
    const cards = await Promise.all(
      Array.from({ length: 8 }, () =>
        makeRateCard(tenant.client, { name: 'Race', effective_from: '2026-01-01' }),
      ),
    );
    expect(cards.map(({ version }) => version).sort()).to.deep.equal([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('POST /rate-cards refuses an invalid rate card and names every validation error', async () => {
    const items = [
      buildRateCardItem({ unit_price_cents: -1, included_quantity: 0.00001 }),
      buildRateCardItem({ category: 'storage', unit_type: 'day', minimum_cents: 100, after_hours: true }),
      buildRateCardItem({ unit_price_cents: 10.5 }),
    ];
    const body = { name: 'x', effective_from: '2026-02-30', after_hours_window: { start: '24:00' }, items };
    expect(listValidationErrors(await tenant.client.post('/rate-cards', body))).to.deep.equal([
      'after_hours_window.end required',
      'after_hours_window.start pattern',
      'effective_from dateTime',
      'items[0].included_quantity decimals',
      'items[0].unit_price_cents min',
      'items[1].after_hours notForStorage',
      'items[1].minimum_cents notForStorage',
      'items[2].unit_price_cents integer',
    ]);
    expect(listValidationErrors(await tenant.client.post('/rate-cards', {}))).to.deep.equal([
      'effective_from required',
      'items required',
      'name required',
    ]);
  });

  it('a dry run of POST /rate-cards previews the card and creates nothing', async () => {
    const body = { name: 'Dry', effective_from: '2026-01-01', items: [MILEAGE_ITEM] };
    const preview = await tenant.client.post('/rate-cards', body, DRY_RUN);
    expect(preview.body.data).to.include({ name: 'Dry', version: 1 });
    expect(await listIds('search=Dry')).to.deep.equal([]);
  });

  it('rate cards of another tenant or of the sandbox cannot be read, referenced or used for a price', async () => {
    const foreignCard = await makeRateCard(tenant.sandbox, { name: 'Plain', is_default: true });
    expect(foreignCard.version, 'each account has separate names').to.equal(1);
    for (const id of [foreignCard.id, UNKNOWN_ID]) {
      expectError(await tenant.client.get(`/rate-cards/${id}`), 404, 'not_found');
      const named = await tenant.client.post('/customers', { company_name: 'C', rate_card_id: id });
      expect(listValidationErrors(named)).to.deep.equal(['rate_card_id unknown']);
    }
    const other = await stack.createTenant('Without cards');
    const workOrder = await createCompletedWorkOrder(other.client);
    expectError(await other.client.post(`/work-orders/${workOrder}/price`), 409, 'conflict');
  });

  it('a customer can reference a rate card and drop it again', async () => {
    const card = await makeRateCard(tenant.client);
    const { client } = tenant;
    const customer = (await client.post('/customers', { company_name: 'C', rate_card_id: card.id })).body;
    expect(customer.rate_card_id).to.equal(card.id);
    const path = `/customers/${customer.id}`;
    expect(
      listValidationErrors(await client.patch(path, { rate_card_id: UNKNOWN_ID, city: 'lost' })),
    ).to.deep.equal(['rate_card_id unknown']);
    expect((await client.get(path)).body).to.deep.equal(customer);
    expect((await client.patch(path, { rate_card_id: null })).body.rate_card_id).to.equal(null);
  });
});
