import { expect } from 'chai';
import { expectError, faultsOf } from '../support/expect-error.js';
import { cardItem, completedJob, MILES, makeCard } from '../support/priced-jobs.js';
import { UNKNOWN_ID } from '../support/samples.js';
import { TestStack, type TestTenant } from '../support/stack.js';

const MEMBERS = [
  ...['id', 'name', 'version', 'effective_from', 'effective_until', 'superseded_by', 'is_default'],
  ...['after_hours_window', 'items', 'created_at'],
];
const DRY_RUN = { headers: { 'x-service-dry-run': 'true' } };

describe('rate cards', () => {
  let stack: TestStack;
  let tenant: TestTenant;

  before(async () => {
    stack = await TestStack.start();
    tenant = await stack.createTenant('Hudson Towing');
  });
  after(() => stack.stop());

  const listed = async (query: string): Promise<string[]> => {
    const answer = await tenant.client.get(`/rate-cards?limit=200&${query}`);
    expect(answer.status, answer.text).to.equal(200);
    return answer.body.data.items.map((card: { id: string }) => card.id);
  };

  it('have exactly the published members and defaults, and are read back byte for byte', async () => {
    const body = {
      name: 'Plain',
      effective_from: '2026-01-01',
      items: [{ category: 'hook_up', unit_type: 'flat', unit_price_cents: 7500 }],
    };
    const answer = await tenant.client.post('/rate-cards', body);
    expect(answer.status, answer.text).to.equal(201);
    expect(Object.keys(answer.body)).to.deep.equal(MEMBERS);
    expect(answer.body).to.deep.include({
      ...{ version: 1, effective_from: '2026-01-01', effective_until: null, superseded_by: null },
      ...{ is_default: false, after_hours_window: { start: '18:00', end: '08:00', weekends: true } },
    });
    expect(answer.body.items).to.deep.equal([
      {
        ...{
          name: 'Hook up',
          service_type: null,
          category: 'hook_up',
          unit_type: 'flat',
          unit_price_cents: 7500,
        },
        ...{ included_quantity: 0, minimum_cents: null, after_hours: false, taxable: false },
      },
    ]);
    expect((await tenant.client.get(`/rate-cards/${answer.body.id}`)).text).to.equal(answer.text);
    expect((await tenant.client.get('/rate-cards?limit=1')).body.data.items).to.deep.equal([answer.body]);
  });

  it('are superseded by the next of their name, whatever its case, and keep what they say', async () => {
    const first = await makeCard(tenant.client, { name: 'Club', is_default: false });
    const second = await makeCard(tenant.client, {
      name: 'CLUB',
      effective_from: '2026-06-01',
      items: [cardItem()],
    });
    const again = (await tenant.client.get(`/rate-cards/${first.id}`)).body;
    expect(again).to.deep.equal({ ...first, effective_until: '2026-06-01', superseded_by: second.id });
    expect(second).to.deep.include({ version: 2, effective_until: null });
    for (const method of ['PATCH', 'DELETE'])
      expect((await tenant.client.send(method, `/rate-cards/${first.id}`, { body: {} })).status).to.equal(
        405,
      );
    const early = await tenant.client.post('/rate-cards', {
      ...{ name: 'club', effective_from: '2026-05-31', items: [cardItem()] },
    });
    expect(expectError(early, 409, 'conflict')[0]).to.include({ field: 'effective_from', code: 'not_later' });
    const mended = await makeCard(tenant.client, { name: 'Club', effective_from: '2026-06-01' });
    expect(mended.version, 'of the same day the newer one counts').to.equal(3);
    const inForce = async (day: string) =>
      (await listed(`in_force_on=${day}&search=club`)).filter((id) => id !== undefined);
    expect(await inForce('2026-05-31')).to.deep.equal([first.id]);
    expect(await inForce('2026-06-01')).to.deep.equal([mended.id]);
    expect(await inForce('2019-12-31')).to.deep.equal([]);
  });

  it('of one name sent by many at once become versions one after the other', async () => {
    const cards = await Promise.all(
      Array.from({ length: 8 }, () =>
        makeCard(tenant.client, { name: 'Race', effective_from: '2026-01-01' }),
      ),
    );
    expect(cards.map(({ version }) => version).sort()).to.deep.equal([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('refuse what is no price, with every fault named', async () => {
    const items = [
      cardItem({ unit_price_cents: -1, included_quantity: 0.00001 }),
      cardItem({ category: 'storage', unit_type: 'day', minimum_cents: 100, after_hours: true }),
      cardItem({ unit_price_cents: 10.5 }),
    ];
    const body = { name: 'x', effective_from: '2026-02-30', after_hours_window: { start: '24:00' }, items };
    expect(faultsOf(await tenant.client.post('/rate-cards', body))).to.deep.equal([
      'after_hours_window.end required',
      'after_hours_window.start pattern',
      'effective_from dateTime',
      'items[0].included_quantity decimals',
      'items[0].unit_price_cents min',
      'items[1].after_hours notForStorage',
      'items[1].minimum_cents notForStorage',
      'items[2].unit_price_cents integer',
    ]);
    expect(faultsOf(await tenant.client.post('/rate-cards', {}))).to.deep.equal([
      'effective_from required',
      'items required',
      'name required',
    ]);
  });

  it('are tried by a dry run without being made', async () => {
    const body = { name: 'Dry', effective_from: '2026-01-01', items: [MILES] };
    const preview = await tenant.client.post('/rate-cards', body, DRY_RUN);
    expect(preview.body.data).to.include({ name: 'Dry', version: 1 });
    expect(await listed('search=Dry')).to.deep.equal([]);
  });

  it('of another tenant, the sandbox twin included, are not there, neither read nor named nor a price', async () => {
    const theirs = await makeCard(tenant.sandbox, { name: 'Plain', is_default: true });
    expect(theirs.version, 'names are their own').to.equal(1);
    for (const id of [theirs.id, UNKNOWN_ID]) {
      expectError(await tenant.client.get(`/rate-cards/${id}`), 404, 'not_found');
      const named = await tenant.client.post('/customers', { company_name: 'C', rate_card_id: id });
      expect(faultsOf(named)).to.deep.equal(['rate_card_id unknown']);
    }
    const other = await stack.createTenant('Without cards');
    const job = await completedJob(other.client);
    expectError(await other.client.post(`/work-orders/${job}/price`), 409, 'conflict');
  });

  it('are named by customers, who may be given and lose one', async () => {
    const card = await makeCard(tenant.client);
    const { client } = tenant;
    const customer = (await client.post('/customers', { company_name: 'C', rate_card_id: card.id })).body;
    expect(customer.rate_card_id).to.equal(card.id);
    const path = `/customers/${customer.id}`;
    expect(faultsOf(await client.patch(path, { rate_card_id: UNKNOWN_ID, city: 'lost' }))).to.deep.equal([
      'rate_card_id unknown',
    ]);
    expect((await client.get(path)).body).to.deep.equal(customer);
    expect((await client.patch(path, { rate_card_id: null })).body.rate_card_id).to.equal(null);
  });
});
