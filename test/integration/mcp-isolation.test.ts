import { expect } from 'chai';
import { AGENT_SCOPES } from '../../shared/contracts/vocabulary.js';
import { newId } from '../../shared/platform/ids.js';
import { newAgent, TestAgent } from '../support/agent.js';
import { GATE, setGate } from '../support/approvals.js';
import type { Json } from '../support/client.js';
import { createUser, signIn } from '../support/sign-in.js';
import { TestStack, type TestTenant } from '../support/stack.js';

const LINE = { name: 'Tow', category: 'tow', quantity: 1, unit_type: 'each', taxable: false };
const JUSTIFICATION = 'The lines fit the slip.';
const PAGED: [string, Record<string, unknown>][] = [
  ['list_invoices', {}],
  ['list_work_orders', {}],
  ['list_customers', {}],
  ['search_audit_log', {}],
];

/** What an account has that no other may get. */
interface Owned {
  customer: string;
  job: string;
  invoice: string;
  approval: string;
  agentId: string;
  cursors: Record<string, string>;
}

describe('what agents of one account get of another', () => {
  let stack: TestStack;
  let owner: TestTenant;
  let own: TestAgent;
  let owned: Owned;
  let other: TestTenant;
  const intruders: Record<string, TestAgent> = {};

  before(async () => {
    stack = await TestStack.start();
    owner = await stack.createTenant('Owner');
    other = await stack.createTenant('Other');
    own = await newAgent(stack, owner);
    owned = await fill();
    intruders["another account's agent"] = await newAgent(stack, other);
    const scopes = [...AGENT_SCOPES];
    const key = await stack.createKey(owner.sandboxId, { kind: 'agent', scopes }, 'sandbox');
    intruders["the sandbox's agent"] = await TestAgent.connect(stack.origin, key);
  });
  after(async () => {
    await Promise.all([own, ...Object.values(intruders)].map(({ client }) => client.close()));
    await stack.stop();
  });

  /** Two records of each kind, so that every list of the owner has a second page. */
  const fill = async (): Promise<Owned> => {
    const post = async (path: string, body: unknown) =>
      (await owner.client.post(path, body)).body.id as string;
    const customer = await post('/customers', { company_name: 'Secret Club' });
    await post('/customers', { company_name: 'Second' });
    const job = await post('/work-orders', { service_type: 'tow', customer_id: customer });
    await post('/work-orders', { service_type: 'tow' });
    await setGate(owner);
    const draft = (unit_price_cents: number) =>
      own.ok('create_invoice_draft', { work_order_id: job, line_items: [{ ...LINE, unit_price_cents }] });
    const { id: invoice } = await draft(1);
    await draft(2);
    const { approval } = await draft(GATE);
    const [me] = (await own.ok('search_audit_log', { limit: 1 })).items;
    const cursors: Record<string, string> = {};
    for (const [tool, args] of PAGED) cursors[tool] = (await own.ok(tool, { ...args, limit: 1 })).cursor;
    return { customer, job, invoice, approval: approval.id, agentId: me.actor.id, cursors };
  };

  /** The refusal without what differs from call to call. */
  const told = async (agent: TestAgent, tool: string, args: Record<string, unknown>, id?: string) => {
    const { requestId: _id, ...error } = await agent.refused(tool, args);
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
  const secrets = () => [
    owned.customer,
    owned.job,
    owned.invoice,
    owned.approval,
    owned.agentId,
    'Secret Club',
  ];
  const expectNothing = (shown: unknown) => {
    const text = JSON.stringify(shown);
    for (const secret of secrets()) expect(text).to.not.include(secret);
  };
  const textOf = async (agent: TestAgent, uri: string) =>
    ((await agent.client.readResource({ uri })).contents[0] as { text: string }).text;

  it('is there for the owner to get', async () => {
    expect((await own.ok('get_invoice', { invoice_id: owned.invoice })).id).to.equal(owned.invoice);
    expect((await own.ok('get_work_order', { work_order_id: owned.job })).id).to.equal(owned.job);
    for (const [tool, args] of PAGED) {
      expect(owned.cursors[tool], tool).to.be.a('string');
      expect((await own.ok(tool, { ...args, cursor: owned.cursors[tool], limit: 1 })).count, tool).to.equal(
        1,
      );
    }
    expect(await textOf(own, 'service://audit-log')).to.include(owned.job);
    expect(await textOf(own, 'service://dispatch-board')).to.include(owned.job);
    for (const [path, id] of [
      ['invoices', owned.invoice],
      ['work-orders', owned.job],
      ['customers', owned.customer],
    ])
      expect(await textOf(own, `service://${path}/${id}`)).to.include(id);
  });

  for (const who of ["another account's agent", "the sandbox's agent"]) {
    const agent = () => intruders[who] as TestAgent;

    // First, for the log of an account keeps the ids that its own agents asked for.
    it(`${who} sees nothing of it in lists, boards and logs`, async () => {
      for (const [tool, args] of PAGED) expectNothing(await agent().ok(tool, args));
      for (const args of [{ search: 'Secret' }, { search: 'Club' }])
        expect((await agent().ok('list_customers', args)).count).to.equal(0);
      expect((await agent().ok('search_audit_log', { actor: owned.agentId })).count).to.equal(0);
      const board = await agent().ok('get_dispatch_board');
      expectNothing(board);
      expect(board.unassigned_work_orders).to.deep.equal([]);
      expectNothing(JSON.parse(await textOf(agent(), 'service://dispatch-board')));
      expectNothing(JSON.parse(await textOf(agent(), 'service://audit-log')));
    });

    it(`${who} is told of its ids as of unknown ones, by every tool that takes one`, async () => {
      const unknown = newId();
      const lines = { line_items: [{ ...LINE, unit_price_cents: 1 }] };
      for (const [tool, member, id, more] of [
        ['get_invoice', 'invoice_id', owned.invoice, {}],
        ['get_work_order', 'work_order_id', owned.job, {}],
        ['create_invoice_draft', 'work_order_id', owned.job, lines],
        ['create_invoice_draft', 'work_order_id', owned.job, {}],
        ['create_invoice_draft', 'work_order_id', owned.job, { ...lines, dry_run: true }],
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
        const foreign = await told(agent(), tool, { ...more, [member]: id }, id);
        expect(foreign, tool).to.equal(await told(agent(), tool, { ...more, [member]: unknown }, unknown));
      }
    });

    it(`${who} is told of its records' resources as of unknown ones`, async () => {
      for (const [template, id] of [
        ['service://invoices/{id}', owned.invoice],
        ['service://work-orders/{id}', owned.job],
        ['service://customers/{id}', owned.customer],
      ] as [string, string][])
        expect(await readError(agent(), template, id)).to.equal(await readError(agent(), template, newId()));
    });

    it(`${who} can go on with none of its cursors`, async () => {
      for (const [tool, args] of PAGED) {
        const foreign = await told(agent(), tool, { ...args, limit: 1, cursor: owned.cursors[tool] });
        expect(foreign, tool).to.include('invalid_cursor');
        expect(foreign).to.equal(await told(agent(), tool, { ...args, limit: 1, cursor: 'nonsense' }));
      }
    });

    it(`${who} reaches none of its approvals, and repeats none of its calls`, async () => {
      const rest = stack.clientWith(agent().key);
      const answers = await Promise.all(
        [owned.approval, newId()].map(async (id) => {
          const { status, body } = await rest.get(`/approvals/${id}`);
          return [status, body.error.code, body.error.message];
        }),
      );
      expect(answers[0]).to.deep.equal(answers[1]);
      const sent = { service_type: 'tow', idempotency_key: newId() };
      const mine = await own.ok('create_work_order', sent);
      const theirs = await agent().call('create_work_order', sent);
      expect((theirs.structuredContent as Json).id).to.not.equal(mine.id);
      expect(JSON.stringify(theirs.content)).to.not.include('done before');
    });
  }

  it('lets no person of another account, nor of the sandbox, decide on its approvals', async () => {
    const person = await signIn(stack, await createUser(stack, other.id));
    const twin = await signIn(stack, await createUser(stack, owner.id));
    const unknown = await person.post(`/approvals/${newId()}/approve`, {});
    const foreign = await person.post(`/approvals/${owned.approval}/approve`, {});
    expect([foreign.status, foreign.body.error.code]).to.deep.equal([
      unknown.status,
      unknown.body.error.code,
    ]);
    const headers = { 'X-Environment': 'sandbox' };
    expect((await twin.post(`/approvals/${owned.approval}/approve`, {}, { headers })).status).to.equal(404);
    expect((await twin.get(`/approvals/${owned.approval}`)).body.status).to.equal('pending');
  });
});
