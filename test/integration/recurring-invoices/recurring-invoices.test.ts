import { expect } from 'chai';
import { AGENT_SCOPES } from '../../../shared/contracts/vocabulary.js';
import { newId } from '../../../shared/platform/ids.js';
import { MAX_RECURRING_INVOICES } from '../../../shared/resources/recurring-invoices/vocabulary.js';
import { dayIn, RecurringAccount } from '../../support/billing/recurring-invoices.js';
import type { Json } from '../../support/client.js';
import { expectError, listValidationErrors } from '../../support/expect-error.js';
import { lineItem, UNKNOWN_ID } from '../../support/records/samples.js';
import { useStack } from '../../support/use-stack.js';

const NEW_YORK = 'America/New_York';

describe('recurring invoices', () => {
  const stack = useStack();

  const openAccount = async () => {
    const { id, client } = await stack.createTenant();
    return RecurringAccount.open(stack, id, client);
  };

  it('POST /recurring-invoices sets defaults, totals and the next date, and reads return the same record', async () => {
    const account = await openAccount();
    const today = dayIn(NEW_YORK);
    const { total_cents: _total, ...line } = lineItem({ quantity: 1.5, unit_price_cents: 101 });
    const response = await account.client.post(
      '/recurring-invoices',
      account.buildInput({ anchor_date: today, line_items: [line] }),
    );
    expect(response.status, response.text).to.equal(201);
    const { body } = response;
    expect(response.headers.location).to.equal(`/v1/recurring-invoices/${body.id}`);
    expect(body).to.deep.include({
      description: null,
      customer_id: account.customerId,
      every: 'month',
      anchor_date: today,
      line_items: [{ ...line, taxable: false, total_cents: 152 }],
      release: 'draft',
      ends_on: null,
      status: 'active',
      next_date: today,
      last_date: null,
      last_invoice_id: null,
      autopay: null,
    });
    expect(await account.read(body.id)).to.deep.equal(body);
  });

  it('GET /recurring-invoices filters by status and customer, and pages', async () => {
    const account = await openAccount();
    const other = await account.client.post('/customers', { company_name: 'Other' });
    const first = await account.create();
    const second = await account.create({ customer_id: other.body.id });
    const third = await account.create();
    await account.patch(first.id, { status: 'paused' });
    const list = async (query: string) =>
      (await account.client.get(`/recurring-invoices${query}`)).body.data.items.map(({ id }: Json) => id);
    expect(await list('')).to.deep.equal([third.id, second.id, first.id]);
    expect(await list('?status=paused')).to.deep.equal([first.id]);
    expect(await list(`?customer_id=${other.body.id}`)).to.deep.equal([second.id]);
    const page = await account.client.get('/recurring-invoices?limit=2');
    expect(await list(`?limit=2&cursor=${page.body.data.cursor}`)).to.deep.equal([first.id]);
  });

  const invalid: [string, Record<string, unknown>, string[]][] = [
    [
      'missing members',
      { customer_id: undefined, every: undefined, anchor_date: undefined, line_items: undefined },
      ['anchor_date required', 'customer_id required', 'every required', 'line_items required'],
    ],
    [
      'a wrong value in every member',
      {
        customer_id: 'x',
        every: 'day',
        anchor_date: '2026-02-30',
        line_items: [],
        release: 'approve',
        ends_on: 'never',
        description: 'x'.repeat(201),
      },
      [
        'anchor_date dateTime',
        'customer_id guid',
        'description max',
        'ends_on dateTime',
        'every only',
        'line_items min',
        'release only',
      ],
    ],
    [
      'a negative line item of a tow, and a wrong total',
      { line_items: [lineItem({ unit_price_cents: -5 }), lineItem({ total_cents: 1 })] },
      ['line_items[0].unit_price_cents negativePrice', 'line_items[1].total_cents line_total_mismatch'],
    ],
    [
      'an unknown customer, a negative total and an end before the anchor',
      {
        customer_id: UNKNOWN_ID,
        line_items: [lineItem({ category: 'discount', unit_price_cents: -5 })],
        ends_on: '2026-01-30',
      },
      ['customer_id unknown', 'ends_on before_anchor', 'line_items negative_total'],
    ],
    ['an end before the next date', { ends_on: '2026-02-01' }, ['ends_on no_date_left']],
  ];
  for (const [faults, overrides, expected] of invalid) {
    it(`POST /recurring-invoices with ${faults} is 400 and names each fault`, async () => {
      const account = await openAccount();
      const response = await account.client.post('/recurring-invoices', account.buildInput(overrides));
      expect(response.status, response.text).to.equal(400);
      expect(listValidationErrors(response).sort()).to.deep.equal(expected);
    });
  }

  it('a rhythm from a day in the past starts with its next date, and never bills the past', async () => {
    const account = await openAccount();
    const today = dayIn(NEW_YORK);
    const { next_date, id } = await account.create({ every: 'week', anchor_date: dayIn(NEW_YORK, -10) });
    expect(next_date > today && next_date <= dayIn(NEW_YORK, 7)).to.equal(true);
    expect(await account.listInvoices(id)).to.deep.equal([]);
  });

  it('PATCH moves the next date only if the rhythm changes, and the same values again change nothing', async () => {
    const account = await openAccount();
    // A date that is due already would stay.
    const record = await account.create({ anchor_date: dayIn(NEW_YORK, 5) });
    const same = await account.patch(record.id, {
      every: record.every,
      anchor_date: record.anchor_date,
      line_items: record.line_items,
      release: 'draft',
      status: 'active',
    });
    expect(same).to.deep.equal(record);
    const described = await account.patch(record.id, { description: 'Lot 4' });
    expect(described).to.include({ description: 'Lot 4', next_date: record.next_date });
    const anchor = dayIn(NEW_YORK, 40);
    const moved = await account.patch(record.id, { every: 'quarter', anchor_date: anchor });
    expect(moved).to.include({ every: 'quarter', next_date: anchor });
    const refused = await account.client.patch(`/recurring-invoices/${record.id}`, {
      ends_on: dayIn(NEW_YORK, 39),
      line_items: [lineItem({ category: 'discount', unit_price_cents: -5 })],
    });
    expect(listValidationErrors(refused).sort()).to.deep.equal([
      'ends_on before_anchor',
      'line_items negative_total',
    ]);
    expect(await account.read(record.id)).to.deep.equal(moved);
  });

  it('a paused one has no next date, and DELETE ends it for good', async () => {
    const account = await openAccount();
    const { id, next_date } = await account.create();
    expect(await account.patch(id, { status: 'paused' })).to.include({ status: 'paused', next_date: null });
    expect(await account.patch(id, { status: 'active' })).to.include({ status: 'active', next_date });
    for (let time = 0; time < 2; time += 1) {
      const ended = await account.client.delete(`/recurring-invoices/${id}`);
      expect(ended.status, ended.text).to.equal(200);
      expect(ended.body).to.include({ status: 'ended', next_date: null });
    }
    const refused = await account.client.patch(`/recurring-invoices/${id}`, { status: 'active' });
    expectError(refused, 409, 'conflict');
    expect((await account.read(id)).status).to.equal('ended');
  });

  it('what is sent without approval changes only with the permission approve', async () => {
    const account = await openAccount();
    const writer = stack.createClient(
      await stack.createKey(account.tenantId, { permissions: ['read', 'write'] }),
    );
    const path = '/recurring-invoices';
    expectError(await writer.post(path, account.buildInput({ release: 'send' })), 403, 'insufficient_scope');
    const { id } = await account.create({ release: 'send' });
    const unconfirmed: object[] = [
      { line_items: [lineItem({ unit_price_cents: 99 })] },
      { every: 'week' },
      { anchor_date: '2026-02-01' },
      { ends_on: '2099-01-01' },
    ];
    for (const patch of unconfirmed) {
      expectError(await writer.patch(`${path}/${id}`, patch), 409, 'conflict');
      expectError(
        await writer.patch(`${path}/${id}`, { ...patch, release: 'send' }),
        403,
        'insufficient_scope',
      );
    }
    expect((await writer.patch(`${path}/${id}`, { status: 'paused', description: 'x' })).status).to.equal(
      200,
    );
    expectError(await writer.patch(`${path}/${id}`, { status: 'active' }), 409, 'conflict');
    await account.patch(id, { status: 'active', release: 'send' });
    expect((await writer.patch(`${path}/${id}`, { release: 'draft', every: 'week' })).status).to.equal(200);
  });

  it('agents read recurring invoices with read_invoices, and never write them', async () => {
    const account = await openAccount();
    const { id } = await account.create();
    const agent = async (scopes: readonly string[]) =>
      stack.createClient(await stack.createKey(account.tenantId, { kind: 'agent', scopes: [...scopes] }));
    const reader = await agent(['read_invoices']);
    expect((await reader.get(`/recurring-invoices/${id}`)).status).to.equal(200);
    expect((await reader.get('/recurring-invoices')).body.data.count).to.equal(1);
    const all = await agent(AGENT_SCOPES);
    for (const response of [
      await all.post('/recurring-invoices', account.buildInput()),
      await all.patch(`/recurring-invoices/${id}`, { status: 'ended' }),
      await all.delete(`/recurring-invoices/${id}`),
    ])
      expect(response.status, response.text).to.equal(403);
  });

  it('an account has at most 500 recurring invoices that have not ended', async () => {
    const account = await openAccount();
    const { id } = await account.create();
    await stack.rows(
      account.tenantId,
      `insert into recurring_invoices (tenant_id, id, customer_id, every, anchor_date, line_items, status)
       select $1, gen_random_uuid(), $2, 'month', '2026-01-01', '[]', 'paused' from generate_series(2, $3::int)`,
      [account.tenantId, account.customerId, MAX_RECURRING_INVOICES],
    );
    const refused = await account.client.post('/recurring-invoices', account.buildInput());
    expectError(refused, 409, 'conflict');
    await account.client.delete(`/recurring-invoices/${id}`);
    await account.create();
    expectError(await account.client.post('/recurring-invoices', account.buildInput()), 409, 'conflict');
  });

  it('a dry run and a repeated Idempotency-Key create nothing more', async () => {
    const account = await openAccount();
    const preview = await account.client.post('/recurring-invoices', account.buildInput(), {
      headers: { 'X-Service-Dry-Run': 'true' },
    });
    expect(preview.body.data.next_date).to.be.a('string');
    const headers = { 'Idempotency-Key': newId() };
    const input = account.buildInput();
    const [first, second] = [
      await account.client.post('/recurring-invoices', input, { headers }),
      await account.client.post('/recurring-invoices', input, { headers }),
    ];
    expect(second.body).to.deep.equal(first.body);
    expect((await account.client.get('/recurring-invoices')).body.data.count).to.equal(1);
  });
});
