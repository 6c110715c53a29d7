import { expect } from 'chai';
import { AGENT_SCOPES } from '../../../../shared/contracts/vocabulary.js';
import { newId } from '../../../../shared/platform/ids.js';
import { connectAgent, TestAgent } from '../../../support/agents/agent.js';
import { APPROVAL_THRESHOLD_CENTS, setApprovalThreshold } from '../../../support/agents/approvals.js';
import type { Json } from '../../../support/client.js';
import { createUser, openSession } from '../../../support/records/sign-in.js';
import type { TestTenant } from '../../../support/stack.js';
import { useStack } from '../../../support/use-stack.js';

const LINE_ITEM = { name: 'Tow', category: 'tow', quantity: 1, unit_type: 'each', taxable: false };
const JUSTIFICATION = 'The line items match the slip.';
const PAGED: [string, Record<string, unknown>][] = [
  ['list_invoices', {}],
  ['list_work_orders', {}],
  ['list_customers', {}],
  ['search_audit_log', {}],
];

/** The owner's ids and cursors. No other account may use them. */
interface OwnedIds {
  customer: string;
  workOrder: string;
  invoice: string;
  approval: string;
  agentId: string;
  cursors: Record<string, string>;
}

describe('isolation of accounts over MCP', () => {
  const stack = useStack();
  let owner: TestTenant;
  let ownAgent: TestAgent;
  let owned: OwnedIds;
  let other: TestTenant;
  const intruders: Record<string, TestAgent> = {};

  before(async () => {
    owner = await stack.createTenant('Owner');
    other = await stack.createTenant('Other');
    ownAgent = await connectAgent(stack, owner);
    owned = await createRecords();
    intruders["another account's agent"] = await connectAgent(stack, other);
    const scopes = [...AGENT_SCOPES];
    const key = await stack.createKey(owner.sandboxId, { kind: 'agent', scopes }, 'sandbox');
    intruders["the sandbox's agent"] = await TestAgent.connect(stack.origin, key);
  });
  after(async () => {
    await Promise.all([ownAgent, ...Object.values(intruders)].map(({ client }) => client.close()));
  });

  /** Creates two records of each kind, so that every list of the owner has a second page. */
  const createRecords = async (): Promise<OwnedIds> => {
    const post = async (path: string, body: unknown) =>
      (await owner.client.post(path, body)).body.id as string;
    const customer = await post('/customers', { company_name: 'Secret Club' });
    await post('/customers', { company_name: 'Second' });
    const workOrder = await post('/work-orders', { service_type: 'tow', customer_id: customer });
    await post('/work-orders', { service_type: 'tow' });
    await setApprovalThreshold(owner);
    const draft = (unit_price_cents: number) =>
      ownAgent.callOk('create_invoice_draft', {
        work_order_id: workOrder,
        line_items: [{ ...LINE_ITEM, unit_price_cents }],
      });
    const { id: invoice } = await draft(1);
    await draft(2);
    const { approval } = await draft(APPROVAL_THRESHOLD_CENTS);
    const [me] = (await ownAgent.callOk('search_audit_log', { limit: 1 })).items;
    const cursors: Record<string, string> = {};
    for (const [tool, args] of PAGED)
      cursors[tool] = (await ownAgent.callOk(tool, { ...args, limit: 1 })).cursor;
    return { customer, workOrder, invoice, approval: approval.id, agentId: me.actor.id, cursors };
  };

  /**
   * Calls a tool that must fail. Returns the error without its request id, and with `{id}` in place
   * of `id`, so that errors can be compared.
   */
  const readToolError = async (
    agent: TestAgent,
    tool: string,
    args: Record<string, unknown>,
    id?: string,
  ) => {
    const { requestId: _id, ...error } = await agent.callRefused(tool, args);
    return JSON.stringify(error).replaceAll(id ?? '-', '{id}');
  };
  const readError = async (agent: TestAgent, template: string, id: string): Promise<string> => {
    const uri = template.replace('{id}', id);
    const error = await agent.client.readResource({ uri }).then(
      () => expect.fail(`${uri} was read`),
      (thrown: unknown) => thrown as Json,
    );
    const { requestId: _id, ...body } = error.data.error;
    return JSON.stringify([error.code, error.message, error.data.uri, body]).replaceAll(id, '{id}');
  };
  const listSecrets = () => [
    owned.customer,
    owned.workOrder,
    owned.invoice,
    owned.approval,
    owned.agentId,
    'Secret Club',
  ];
  const expectNoSecrets = (shown: unknown) => {
    const text = JSON.stringify(shown);
    for (const secret of listSecrets()) expect(text).to.not.include(secret);
  };
  const readResourceText = async (agent: TestAgent, uri: string) =>
    ((await agent.client.readResource({ uri })).contents[0] as { text: string }).text;

  it("the owner's agent can read its records, list pages and resources over MCP", async () => {
    expect((await ownAgent.callOk('get_invoice', { invoice_id: owned.invoice })).id).to.equal(owned.invoice);
    expect((await ownAgent.callOk('get_work_order', { work_order_id: owned.workOrder })).id).to.equal(
      owned.workOrder,
    );
    for (const [tool, args] of PAGED) {
      expect(owned.cursors[tool], tool).to.be.a('string');
      expect(
        (await ownAgent.callOk(tool, { ...args, cursor: owned.cursors[tool], limit: 1 })).count,
        tool,
      ).to.equal(1);
    }
    expect(await readResourceText(ownAgent, 'service://audit-log')).to.include(owned.workOrder);
    expect(await readResourceText(ownAgent, 'service://dispatch-board')).to.include(owned.workOrder);
    for (const [path, id] of [
      ['invoices', owned.invoice],
      ['work-orders', owned.workOrder],
      ['customers', owned.customer],
    ])
      expect(await readResourceText(ownAgent, `service://${path}/${id}`)).to.include(id);
  });

  for (const intruder of ["another account's agent", "the sandbox's agent"]) {
    const agent = () => intruders[intruder] as TestAgent;

    // This test must run before the tests below. They request the owner's ids, and these ids then
    // appear in the intruder's audit log.
    it(`${intruder} sees nothing of the owner in lists, boards and logs`, async () => {
      for (const [tool, args] of PAGED) expectNoSecrets(await agent().callOk(tool, args));
      for (const args of [{ search: 'Secret' }, { search: 'Club' }])
        expect((await agent().callOk('list_customers', args)).count).to.equal(0);
      expect((await agent().callOk('search_audit_log', { actor: owned.agentId })).count).to.equal(0);
      const board = await agent().callOk('get_dispatch_board');
      expectNoSecrets(board);
      expect(board.unassigned_work_orders).to.deep.equal([]);
      expectNoSecrets(JSON.parse(await readResourceText(agent(), 'service://dispatch-board')));
      expectNoSecrets(JSON.parse(await readResourceText(agent(), 'service://audit-log')));
    });

    it(`${intruder} gets the same error for the owner's ids as for unknown ids from every tool`, async () => {
      const unknown = newId();
      const withLineItems = { line_items: [{ ...LINE_ITEM, unit_price_cents: 1 }] };
      for (const [tool, member, id, more] of [
        ['get_invoice', 'invoice_id', owned.invoice, {}],
        ['get_work_order', 'work_order_id', owned.workOrder, {}],
        ['create_invoice_draft', 'work_order_id', owned.workOrder, withLineItems],
        ['create_invoice_draft', 'work_order_id', owned.workOrder, {}],
        ['create_invoice_draft', 'work_order_id', owned.workOrder, { ...withLineItems, dry_run: true }],
        ['create_work_order', 'customer_id', owned.customer, { service_type: 'tow' }],
        ['create_work_order', 'customer_id', owned.customer, { service_type: 'tow', dry_run: true }],
        ['propose_invoice_approval', 'invoice_id', owned.invoice, { justification: JUSTIFICATION }],
        [
          'propose_invoice_approval',
          'invoice_id',
          owned.invoice,
          { justification: JUSTIFICATION, dry_run: true },
        ],
      ] as [string, string, string, Record<string, unknown>][]) {
        const foreign = await readToolError(agent(), tool, { ...more, [member]: id }, id);
        expect(foreign, tool).to.equal(
          await readToolError(agent(), tool, { ...more, [member]: unknown }, unknown),
        );
      }
    });

    it(`${intruder} gets the same error for the owner's resources as for unknown ones`, async () => {
      for (const [template, id] of [
        ['service://invoices/{id}', owned.invoice],
        ['service://work-orders/{id}', owned.workOrder],
        ['service://customers/{id}', owned.customer],
      ] as [string, string][])
        expect(await readError(agent(), template, id)).to.equal(await readError(agent(), template, newId()));
    });

    it(`${intruder} cannot use the owner's cursors`, async () => {
      for (const [tool, args] of PAGED) {
        const foreign = await readToolError(agent(), tool, {
          ...args,
          limit: 1,
          cursor: owned.cursors[tool],
        });
        expect(foreign, tool).to.include('invalid_cursor');
        expect(foreign).to.equal(
          await readToolError(agent(), tool, { ...args, limit: 1, cursor: 'nonsense' }),
        );
      }
    });

    it(`${intruder} cannot read the owner's approvals or replay its calls`, async () => {
      const rest = stack.createClient(agent().key);
      const responses = await Promise.all(
        [owned.approval, newId()].map(async (id) => {
          const { status, body } = await rest.get(`/approvals/${id}`);
          return [status, body.error.code, body.error.message];
        }),
      );
      expect(responses[0]).to.deep.equal(responses[1]);
      const sent = { service_type: 'tow', idempotency_key: newId() };
      const ownersResult = await ownAgent.callOk('create_work_order', sent);
      const intrudersResult = await agent().call('create_work_order', sent);
      expect((intrudersResult.structuredContent as Json).id).to.not.equal(ownersResult.id);
      expect(JSON.stringify(intrudersResult.content)).to.not.include('done before');
    });
  }

  it("no person of another account or in the sandbox can decide on the owner's approvals", async () => {
    const person = await openSession(stack, await createUser(stack, other.id));
    const ownerPerson = await openSession(stack, await createUser(stack, owner.id));
    const unknown = await person.post(`/approvals/${newId()}/approve`, {});
    const foreign = await person.post(`/approvals/${owned.approval}/approve`, {});
    expect([foreign.status, foreign.body.error.code]).to.deep.equal([
      unknown.status,
      unknown.body.error.code,
    ]);
    const headers = { 'X-Environment': 'sandbox' };
    expect((await ownerPerson.post(`/approvals/${owned.approval}/approve`, {}, { headers })).status).to.equal(
      404,
    );
    expect((await ownerPerson.get(`/approvals/${owned.approval}`)).body.status).to.equal('pending');
  });
});
