import { expect } from 'chai';
import { draftOf, expectHeld, GATE, newAgent, setGate } from '../support/approvals.js';
import type { Answer, Json, TestClient } from '../support/client.js';
import { expectError } from '../support/expect-error.js';
import { lineItem } from '../support/samples.js';
import { signIn } from '../support/sign-in.js';
import { TestStack, type TestTenant } from '../support/stack.js';
import { makeSuggestion } from '../support/suggestions.js';

const lines = (cents: number) => ({ line_items: [lineItem({ unit_price_cents: cents })] });
const ADDRESS = { billing_email: 'office@example.com' };
const AGENTS_ADDRESS = { billing_email: 'agent@example.net' };

describe('an invoice that an agent created, priced or re-addressed', () => {
  let stack: TestStack;
  let tenant: TestTenant;
  let agent: TestClient;
  let person: TestClient;
  let key: TestClient;

  before(async () => {
    stack = await TestStack.start();
    tenant = await stack.createTenant();
    key = tenant.client;
    agent = await newAgent(stack, tenant.id);
    person = await signIn(stack, { tenantId: tenant.id });
  });
  after(() => stack.stop());

  const make = async (by: TestClient = key): Promise<Json> => {
    const answer = await by.post('/invoices', draftOf(1_000, ADDRESS));
    expect(answer.status, answer.text).to.equal(201);
    return answer.body;
  };
  const edit = async (by: TestClient, { id }: Json, change: Json): Promise<Json> => {
    const answer = await by.patch(`/invoices/${id}`, change);
    expect(answer.status, answer.text).to.equal(200);
    return answer.body;
  };
  const approve = (by: TestClient, { id }: Json, ifMatch?: string): Promise<Answer> =>
    by.post(`/invoices/${id}/approve`, {}, ifMatch ? { headers: { 'If-Match': ifMatch } } : {});
  const expectApproved = (answer: Answer) => {
    expect(answer.status, answer.text).to.equal(200);
    expect(answer.body.status).to.equal('approved');
  };
  const expectRefused = (answer: Answer) => {
    expectError(answer, 409, 'invalid_status_transition');
    expect(answer.body.error.message).to.include('only a signed-in person may approve it');
  };
  /** What an earlier version, which knew neither of the columns, leaves in a row. */
  const forget = (id: string, sets = '') =>
    stack.rows(
      tenant.id,
      `update invoices set replaced_agent_price_at = null, trusted_billing_email = null${sets} where id = $1`,
      [id],
    );

  for (const [what, touch] of [
    ['created', () => make(agent)],
    ['priced', async () => edit(agent, await make(), lines(900))],
    ['re-addressed', async () => edit(agent, await make(), AGENTS_ADDRESS)],
  ] as [string, () => Promise<Json>][]) {
    it(`${what} by an agent: no key approves it, neither by /approve nor by PATCH`, async () => {
      const invoice = await touch();
      const { etag } = (await key.get(`/invoices/${invoice.id}`)).headers as { etag: string };
      expectRefused(await approve(key, invoice));
      expectRefused(await approve(key, invoice, etag));
      expectRefused(await key.patch(`/invoices/${invoice.id}`, { status: 'approved' }));
    });

    it(`${what} by an agent: a person approves it only with If-Match, else 428 precondition_required`, async () => {
      const invoice = await touch();
      const path = `/invoices/${invoice.id}`;
      const seen = (await person.get(path)).headers.etag as string;
      for (const refused of [
        await approve(person, invoice),
        await approve(person, invoice, '*'),
        await person.patch(path, { status: 'approved' }),
        await person.patch(path, { status: 'approved', notes: 'unseen' }),
      ]) {
        expectError(refused, 428, 'precondition_required');
        expect(refused.body.error.details[0]).to.include({ field: 'If-Match', code: 'required' });
      }
      await edit(agent, invoice, { notes: 'changed meanwhile' });
      expectError(await approve(person, invoice, seen), 412, 'precondition_failed');
      const now = (await person.get(path)).headers.etag as string;
      const headers = { 'If-Match': now };
      expectApproved(await person.patch(path, { status: 'approved' }, { headers }));
      expectApproved(await approve(person, invoice));
    });

    it(`${what} by an agent: a person's own edit of the lines lets a key approve it`, async () => {
      const invoice = await touch();
      await edit(person, invoice, lines(800));
      expectApproved(await approve(key, invoice));
    });

    it(`${what} by an agent: a key's edit of lines and address changes nothing about it`, async () => {
      const invoice = await touch();
      await edit(key, invoice, { ...lines(800), billing_email: 'third@example.com' });
      expectRefused(await approve(key, invoice));
    });

    it(`${what} by an agent, cleared by a person, and priced by an agent again: a person is needed again`, async () => {
      const invoice = await touch();
      await edit(person, invoice, lines(800));
      await edit(agent, invoice, lines(700));
      expectRefused(await approve(key, invoice));
    });
  }

  it('an address that a person sets clears the address, and not the price', async () => {
    const addressed = await edit(agent, await make(), AGENTS_ADDRESS);
    await edit(person, addressed, { billing_email: 'checked@example.com' });
    expectApproved(await approve(key, addressed));
    const both = await edit(agent, await make(), { ...lines(900), ...AGENTS_ADDRESS });
    await edit(person, both, { billing_email: 'checked@example.com' });
    expectRefused(await approve(key, both));
  });

  it('what an agent says beside price and address leaves an invoice to the keys', async () => {
    const invoice = await edit(agent, await make(), { notes: 'Gate code 7', ...ADDRESS });
    expectApproved(await approve(key, invoice));
  });

  it('a proposal names the version that is approved: its decision takes no If-Match', async () => {
    const invoice = await make(agent);
    const body = { invoice_id: invoice.id, justification: 'Matches the signed slip.' };
    const proposal = (await agent.post('/approvals', body)).body;
    const decided = await person.post(`/approvals/${proposal.id}/approve`, {});
    expect(decided.status, decided.text).to.equal(200);
    expect((await key.get(`/invoices/${invoice.id}`)).body.status).to.equal('approved');
  });

  it('a held PATCH that a person approves still makes an agent-priced draft', async () => {
    const invoice = await make();
    await setGate(tenant, 5_000);
    const held = expectHeld(await agent.patch(`/invoices/${invoice.id}`, lines(GATE)));
    await setGate(tenant, null);
    expect((await person.post(`/approvals/${held.id}/approve`, {})).status).to.equal(200);
    expectRefused(await approve(key, invoice));
  });

  it('lines of a suggestion that a person accepts take nothing over', async () => {
    const invoice = await make(agent);
    const proposed = lineItem({ unit_price_cents: 100, taxable: false, description: null }) as never;
    const found = { entity_id: invoice.id, invoice_id: invoice.id, proposed_lines: [proposed] };
    const id = await makeSuggestion(stack, tenant.id, found);
    const accepted = await person.post(`/suggestions/${id}/accept`, {});
    expect(accepted.status, accepted.text).to.equal(200);
    expectRefused(await approve(key, invoice));
  });

  describe('in rows that an earlier version wrote', () => {
    it('is known by who created or priced it', async () => {
      const [created, priced, own] = [
        await make(agent),
        await edit(agent, await make(), lines(900)),
        await make(),
      ];
      await forget(created.id, ', agent_id = null, agent_priced_at = null');
      await forget(priced.id);
      await forget(own.id);
      expectRefused(await approve(key, created));
      expectRefused(await approve(key, priced));
      expectApproved(await approve(key, own));
      await edit(person, created, lines(800));
      expectApproved(await approve(key, created));
    });

    it('is known by the audit log when an agent re-addressed it', async () => {
      const invoice = await edit(agent, await make(), AGENTS_ADDRESS);
      await forget(invoice.id);
      expectRefused(await approve(key, invoice));
      await edit(person, invoice, lines(800));
      expectApproved(await approve(key, invoice));
    });

    it('is known when an earlier version, still running, changes what a person took over', async () => {
      const priced = await edit(agent, await make(), lines(900));
      await edit(person, priced, lines(800));
      await stack.rows(tenant.id, 'update invoices set agent_priced_at = now() where id = $1', [priced.id]);
      expectRefused(await approve(key, priced));
      const addressed = await make();
      await stack.rows(tenant.id, 'update invoices set billing_email = $2 where id = $1', [
        addressed.id,
        AGENTS_ADDRESS.billing_email,
      ]);
      expectRefused(await approve(key, addressed));
    });
  });
});
