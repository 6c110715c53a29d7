import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import { expect } from 'chai';
import {
  AGENT_SCOPES,
  INVOICE_STATUSES,
  WORK_ORDER_STATUSES,
} from '../../../../shared/contracts/vocabulary.js';
import { connectAgent, TestAgent } from '../../../support/agents/agent.js';
import { useSharedAccount } from '../../../support/records/accounts.js';
import { UNKNOWN_ID } from '../../../support/records/samples.js';
import type { TestStack, TestTenant } from '../../../support/stack.js';

type Args = Record<string, unknown>;

const LISTS: Record<string, { max: number }> = {
  list_invoices: { max: 200 },
  list_work_orders: { max: 200 },
  list_customers: { max: 100 },
  search_audit_log: { max: 100 },
};

const LINE_ITEM = {
  name: 'Tow',
  category: 'tow',
  quantity: 1,
  unit_type: 'each',
  unit_price_cents: 100,
  taxable: false,
};

describe('arguments of MCP tools', () => {
  let stack: TestStack;
  let tenant: TestTenant;
  let agent: TestAgent;

  useSharedAccount(async (account) => {
    ({ stack, tenant } = account);
    agent = await connectAgent(stack, tenant);
    return () => agent.client.close();
  });

  /**
   * Asserts that the tool refuses `args`, with an error message for each problem and a next step.
   * Returns the problems as sorted texts, such as `limit max`.
   */
  const expectArgumentErrors = async (tool: string, args: Args, code = 'validation_error') => {
    const error = await agent.callRefused(tool, args);
    expect(error.code, JSON.stringify(error)).to.equal(code);
    expect(error.message).to.match(/\.$/);
    expect(error.requestId).to.be.a('string');
    expect(error.next_step).to.match(/call/i);
    for (const { message } of error.details) expect(message).to.be.a('string').and.not.equal('');
    return error.details.map((detail: Args) => `${detail.field} ${detail.code}`).sort();
  };

  const badTexts: [string, Args, string[]][] = [
    ['create_work_order', { service_type: 'tow', notes: 'a\u0000b' }, ['notes']],
    [
      'create_invoice_draft',
      { line_items: [LINE_ITEM, { ...LINE_ITEM, name: '\ud800' }] },
      ['line_items[1].name'],
    ],
    ['list_customers', { search: '\u0000' }, ['search']],
    ['get_invoice', { id: '\u0000' }, ['id']],
    ['list_customers', { search: '\u0000', cursor: '\u0000' }, ['cursor', 'search']],
  ];
  for (const [tool, args, fields] of badTexts) {
    it(`${tool} refuses NUL and unpaired surrogates in ${fields.join(' and ')} by name, and the refusal is audited`, async () => {
      const problems = fields.map((field) => `${field} forbidden_character`);
      expect(await expectArgumentErrors(tool, args)).to.deep.equal(problems);
      const [entry] = (await tenant.client.get('/audit-log?actor=agent&limit=1')).body.data.items;
      expect(entry).to.include({ tool, outcome: 'failed' });
    });
  }

  for (const [tool, { max }] of Object.entries(LISTS)) {
    it(`${tool} accepts a limit from 1 to ${max}`, async () => {
      for (const limit of [1, max]) expect((await agent.callOk(tool, { limit })).items).to.be.an('array');
      expect(await expectArgumentErrors(tool, { limit: 0 })).to.deep.equal(['limit min']);
      expect(await expectArgumentErrors(tool, { limit: -1 })).to.deep.equal(['limit min']);
      expect(await expectArgumentErrors(tool, { limit: max + 1 })).to.deep.equal(['limit max']);
      expect(await expectArgumentErrors(tool, { limit: 1.5 })).to.deep.equal(['limit integer']);
      for (const limit of ['5', true, null, [5], {}])
        expect(await expectArgumentErrors(tool, { limit }), JSON.stringify(limit)).to.deep.equal([
          'limit base',
        ]);
    });

    it(`${tool} refuses a cursor that it did not issue`, async () => {
      for (const cursor of ['', 'x', 'AAAA', Buffer.alloc(60).toString('base64url')]) {
        expect(await expectArgumentErrors(tool, { cursor }, 'invalid_cursor')).to.deep.equal([
          'cursor invalid',
        ]);
      }
      expect(await expectArgumentErrors(tool, { cursor: 7 })).to.deep.equal(['cursor base']);
      expect(await expectArgumentErrors(tool, { cursor: 'x'.repeat(501) })).to.deep.equal(['cursor max']);
    });
  }

  it('list_invoices and list_work_orders accept every status as a filter, and no other value', async () => {
    for (const status of INVOICE_STATUSES) await agent.callOk('list_invoices', { status });
    for (const status of ['new', ...WORK_ORDER_STATUSES]) await agent.callOk('list_work_orders', { status });
    for (const status of ['sent', 'Draft', '', 'new'])
      expect(await expectArgumentErrors('list_invoices', { status }), status).to.include('status only');
    for (const status of ['draft', 'NEW', 'accepted'])
      expect(await expectArgumentErrors('list_work_orders', { status })).to.deep.equal(['status only']);
    const { message } = await agent.callRefused('list_work_orders', { status: 'open' });
    expect(message).to.include('new, pending, dispatched, in_progress, completed, cancelled');
  });

  it('tools name all problems in one error: wrong types, limits and unknown arguments, also in line items', async () => {
    expect(
      await expectArgumentErrors('search_audit_log', {
        entity_type: 'truck',
        actor: 'Dana',
        since: 'yesterday',
        until: 5,
        limit: 101,
        page: 2,
      }),
    ).to.deep.equal([
      'actor guid',
      'entity_type only',
      'limit max',
      'page unknown',
      'since dateTime',
      'until base',
    ]);
    const lineItems = [
      { ...LINE_ITEM, total_cents: 100, quantity: '2' },
      { name: '', category: 'Tow!', quantity: 0, unit_type: 'each', unit_price_cents: 1.5 },
    ];
    expect(
      await expectArgumentErrors('create_invoice_draft', {
        work_order_id: 'WO-1',
        line_items: lineItems,
        notes: 5,
        billing_email: 'x',
        invoice_number: 'A',
      }),
    ).to.deep.equal([
      'billing_email email',
      'invoice_number unknown',
      'line_items[0].quantity base',
      'line_items[0].total_cents unknown',
      'line_items[1].category pattern',
      'line_items[1].name empty',
      'line_items[1].quantity greater',
      'line_items[1].taxable required',
      'line_items[1].unit_price_cents integer',
      'notes base',
      'work_order_id guid',
    ]);
  });

  it('tools that write name missing arguments together with an invalid idempotency key or dry run', async () => {
    expect(await expectArgumentErrors('create_work_order', {})).to.deep.equal(['service_type required']);
    expect(await expectArgumentErrors('propose_invoice_approval', { justification: 'short' })).to.deep.equal([
      'invoice_id required',
      'justification min',
    ]);
    expect(
      await expectArgumentErrors('create_work_order', { service_type: 5, colour: 'red', dry_run: 'yes' }),
    ).to.deep.equal(['colour unknown', 'dry_run invalid', 'service_type base']);
    expect(
      await expectArgumentErrors('create_work_order', { idempotency_key: '1', vin: '1'.repeat(18) }),
    ).to.deep.equal(['idempotency_key invalid', 'service_type required', 'vin max']);
    expect(
      await expectArgumentErrors(
        'create_work_order',
        { service_type: 'tow', idempotency_key: '1' },
        'invalid_idempotency_key',
      ),
    ).to.deep.equal(['idempotency_key invalid']);
    expect(await stack.rows(tenant.id, 'select 1 from work_orders')).to.deep.equal([]);
  });

  it('tools that refuse an unknown argument name their own arguments', async () => {
    const { details } = await agent.callRefused('list_customers', { name: 'x' });
    expect(details[0].message).to.equal('list_customers takes no name; it takes search, limit, cursor');
    const board = await agent.callRefused('get_dispatch_board', { status: 'new' });
    expect(board.message).to.equal('get_dispatch_board takes no status; it takes no arguments.');
    const proposal = await agent.callRefused('propose_invoice_approval', { kind: 'invoice_approval' });
    expect(JSON.stringify(proposal.details)).to.include('takes no kind');
    const read = await agent.callRefused('get_invoice', {
      invoice_id: UNKNOWN_ID,
      idempotency_key: UNKNOWN_ID,
    });
    expect(read.details[0]).to.include({ field: 'idempotency_key', code: 'unknown' });
  });

  it('a tool with 500 unknown arguments names a few of them, shortened, and the wrong limit', async () => {
    const nonsense = Object.fromEntries(
      Array.from({ length: 500 }, (_, nth) => [`${nth}${'x'.repeat(500)}`, nth]),
    );
    const { details } = await agent.callRefused('list_customers', { ...nonsense, limit: 0 });
    expect(details).to.have.length(21);
    expect(details.map(({ field }: Args) => field)).to.include('limit');
    for (const { field } of details) expect(field.length).to.be.at.most(100);
  });

  it('tools accept ids in upper and lower case, and refuse other texts', async () => {
    const { body } = await tenant.client.post('/customers', { company_name: 'Hudson Auto Club' });
    const workOrder = await agent.callOk('create_work_order', {
      service_type: 'tow',
      customer_id: body.id.toUpperCase(),
    });
    expect(workOrder.customer_id).to.equal(body.id);
    expect((await agent.callOk('get_work_order', { work_order_id: workOrder.id.toUpperCase() })).id).to.equal(
      workOrder.id,
    );
    for (const work_order_id of ['', workOrder.job_number, `{${workOrder.id}}`, 5, null])
      expect(await expectArgumentErrors('get_work_order', { work_order_id })).to.have.length.within(1, 2);
  });

  it('list_work_orders returns 50 records by default', async () => {
    const requests = Array.from({ length: 51 }, () =>
      tenant.client.post('/work-orders', { service_type: 'tow' }),
    );
    await Promise.all(requests);
    const page = await agent.callOk('list_work_orders');
    expect(page.count).to.equal(50);
    expect(page.cursor).to.be.a('string');
  });

  it('a call of an unknown tool gets -32602 and is audited', async () => {
    for (const name of ['delete_invoice', '', 'List_Invoices', 'constructor', 'x'.repeat(10_000)]) {
      const error = await agent.call(name).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect(error, name.slice(0, 20)).to.be.instanceOf(McpError);
      expect((error as McpError).code).to.equal(ErrorCode.InvalidParams);
      expect((error as McpError).message).to.match(
        /^MCP error -32602: There is no tool .{0,64}\. tools\/list/,
      );
    }
    const entries = await stack.rows(tenant.id, "select 1 from audit_entries where action = 'tool.refused'");
    expect(entries).to.have.length(5);
  });

  for (const scope of AGENT_SCOPES) {
    it(`tools name the missing scope ${scope} to a key, whatever the arguments are`, async () => {
      const other = await connectAgent(stack, tenant, {
        scopes: AGENT_SCOPES.filter((one) => one !== scope),
      });
      const [shown, all] = [await other.client.listTools(), await agent.client.listTools()];
      const names = shown.tools.map(({ name }) => name);
      const hidden = all.tools.map(({ name }) => name).filter((name) => !names.includes(name));
      expect(hidden).to.not.deep.equal([]);
      for (const name of hidden) {
        const error = await other.callRefused(name, { nonsense: true });
        expect(error).to.deep.include({ code: 'insufficient_scope', details: [{ required: scope }] });
        expect(error.next_step).to.include('scope');
      }
      await other.client.close();
    });
  }

  it('a read-only key lists only tools that read, and tools that write name the code read_only_key', async () => {
    const key = await stack.createKey(tenant.id, {
      kind: 'agent',
      scopes: [...AGENT_SCOPES],
      readOnly: true,
    });
    const reader = await TestAgent.connect(stack.origin, key);
    const { tools } = await reader.client.listTools();
    expect(tools.map(({ annotations }) => annotations?.readOnlyHint)).to.deep.equal(Array(7).fill(true));
    for (const name of ['create_invoice_draft', 'create_work_order', 'propose_invoice_approval'])
      expect((await reader.callRefused(name)).code).to.equal('read_only_key');
    await reader.client.close();
  });
});
