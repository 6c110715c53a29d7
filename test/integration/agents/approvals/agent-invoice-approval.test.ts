import { expect } from 'chai';
import {
  APPROVAL_THRESHOLD_CENTS,
  buildDraft,
  createAgentClient,
  expectHeld,
  setApprovalThreshold,
} from '../../../support/agents/approvals.js';
import type { Json, TestClient, TestResponse } from '../../../support/client.js';
import { expectError } from '../../../support/expect-error.js';
import { lineItem } from '../../../support/records/samples.js';
import { openSession } from '../../../support/records/sign-in.js';
import { storeSuggestion } from '../../../support/records/suggestions.js';
import { useStack, useTenant } from '../../../support/use-stack.js';

const lineItems = (cents: number) => ({ line_items: [lineItem({ unit_price_cents: cents })] });
const ADDRESS = { billing_email: 'office@example.com' };
const AGENTS_ADDRESS = { billing_email: 'agent@example.net' };

describe('approval of an invoice that an agent created, priced or re-addressed', () => {
  const stack = useStack();
  const tenant = useTenant(stack);
  let agent: TestClient;
  let person: TestClient;
  let key: TestClient;

  before(async () => {
    key = tenant.client;
    agent = await createAgentClient(stack, tenant.id);
    person = await openSession(stack, { tenantId: tenant.id });
  });

  const createInvoice = async (by: TestClient = key): Promise<Json> => {
    const response = await by.post('/invoices', buildDraft(1_000, ADDRESS));
    expect(response.status, response.text).to.equal(201);
    return response.body;
  };
  const edit = async (by: TestClient, { id }: Json, changes: Json): Promise<Json> => {
    const response = await by.patch(`/invoices/${id}`, changes);
    expect(response.status, response.text).to.equal(200);
    return response.body;
  };
  const approve = (by: TestClient, { id }: Json, ifMatch?: string): Promise<TestResponse> =>
    by.post(`/invoices/${id}/approve`, {}, ifMatch ? { headers: { 'If-Match': ifMatch } } : {});
  const expectApproved = (response: TestResponse) => {
    expect(response.status, response.text).to.equal(200);
    expect(response.body.status).to.equal('approved');
  };
  const expectRefused = (response: TestResponse) => {
    expectError(response, 409, 'invalid_status_transition');
    expect(response.body.error.message).to.include('only a signed-in person may approve it');
  };
  /**
   * Sets `replaced_agent_price_at` and `trusted_billing_email` to null, as in a row that was
   * written before these columns existed.
   */
  const clearPersonColumns = (id: string, sets = '') =>
    stack.rows(
      tenant.id,
      `update invoices set replaced_agent_price_at = null, trusted_billing_email = null${sets} where id = $1`,
      [id],
    );

  for (const [what, createTouched] of [
    ['created', () => createInvoice(agent)],
    ['priced', async () => edit(agent, await createInvoice(), lineItems(900))],
    ['re-addressed', async () => edit(agent, await createInvoice(), AGENTS_ADDRESS)],
  ] as [string, () => Promise<Json>][]) {
    it(`no key can approve an invoice that an agent ${what}, neither by /approve nor by PATCH`, async () => {
      const invoice = await createTouched();
      const { etag } = (await key.get(`/invoices/${invoice.id}`)).headers as { etag: string };
      expectRefused(await approve(key, invoice));
      expectRefused(await approve(key, invoice, etag));
      expectRefused(await key.patch(`/invoices/${invoice.id}`, { status: 'approved' }));
    });

    it(`a person can approve an invoice that an agent ${what} only with If-Match, and gets 428 without it`, async () => {
      const invoice = await createTouched();
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

    it(`a key can approve an invoice that an agent ${what} after a person has edited its line items`, async () => {
      const invoice = await createTouched();
      await edit(person, invoice, lineItems(800));
      expectApproved(await approve(key, invoice));
    });

    it(`a key cannot approve an invoice that an agent ${what} after a key has edited its line items and address`, async () => {
      const invoice = await createTouched();
      await edit(key, invoice, { ...lineItems(800), billing_email: 'third@example.com' });
      expectRefused(await approve(key, invoice));
    });

    it(`an invoice that an agent ${what} and a person edited needs a person again after an agent prices it`, async () => {
      const invoice = await createTouched();
      await edit(person, invoice, lineItems(800));
      await edit(agent, invoice, lineItems(700));
      expectRefused(await approve(key, invoice));
    });
  }

  it("a person who sets the billing e-mail replaces the agent's address, but not the agent's price", async () => {
    const addressed = await edit(agent, await createInvoice(), AGENTS_ADDRESS);
    await edit(person, addressed, { billing_email: 'checked@example.com' });
    expectApproved(await approve(key, addressed));
    const both = await edit(agent, await createInvoice(), { ...lineItems(900), ...AGENTS_ADDRESS });
    await edit(person, both, { billing_email: 'checked@example.com' });
    expectRefused(await approve(key, both));
  });

  it('a key can approve an invoice of which an agent changed neither price nor address', async () => {
    const invoice = await edit(agent, await createInvoice(), { notes: 'Gate code 7', ...ADDRESS });
    expectApproved(await approve(key, invoice));
  });

  it('a person decides on a proposal without If-Match, because the proposal names the version', async () => {
    const invoice = await createInvoice(agent);
    const body = { invoice_id: invoice.id, justification: 'Matches the signed slip.' };
    const proposal = (await agent.post('/approvals', body)).body;
    const decided = await person.post(`/approvals/${proposal.id}/approve`, {});
    expect(decided.status, decided.text).to.equal(200);
    expect((await key.get(`/invoices/${invoice.id}`)).body.status).to.equal('approved');
  });

  it("a held PATCH of an agent still counts as the agent's price after a person approves it", async () => {
    const invoice = await createInvoice();
    await setApprovalThreshold(tenant, 5_000);
    const held = expectHeld(
      await agent.patch(`/invoices/${invoice.id}`, lineItems(APPROVAL_THRESHOLD_CENTS)),
    );
    await setApprovalThreshold(tenant, null);
    expect((await person.post(`/approvals/${held.id}/approve`, {})).status).to.equal(200);
    expectRefused(await approve(key, invoice));
  });

  it("a person who accepts a suggestion does not replace the agent's price", async () => {
    const invoice = await createInvoice(agent);
    const proposed = lineItem({ unit_price_cents: 100, taxable: false, description: null }) as never;
    const found = { entity_id: invoice.id, invoice_id: invoice.id, proposed_lines: [proposed] };
    const id = await storeSuggestion(stack, tenant.id, found);
    const accepted = await person.post(`/suggestions/${id}/accept`, {});
    expect(accepted.status, accepted.text).to.equal(200);
    expectRefused(await approve(key, invoice));
  });

  describe('rows that an earlier version wrote', () => {
    it('a row of an earlier version needs a person if an agent created or priced the invoice', async () => {
      const [created, priced, own] = [
        await createInvoice(agent),
        await edit(agent, await createInvoice(), lineItems(900)),
        await createInvoice(),
      ];
      await clearPersonColumns(created.id, ', agent_id = null, agent_priced_at = null');
      await clearPersonColumns(priced.id);
      await clearPersonColumns(own.id);
      expectRefused(await approve(key, created));
      expectRefused(await approve(key, priced));
      expectApproved(await approve(key, own));
      await edit(person, created, lineItems(800));
      expectApproved(await approve(key, created));
    });

    it('a row of an earlier version needs a person if the audit log shows that an agent re-addressed the invoice', async () => {
      const invoice = await edit(agent, await createInvoice(), AGENTS_ADDRESS);
      await clearPersonColumns(invoice.id);
      expectRefused(await approve(key, invoice));
      await edit(person, invoice, lineItems(800));
      expectApproved(await approve(key, invoice));
    });

    it('an invoice needs a person again after a process of an earlier version changes its price or address', async () => {
      const priced = await edit(agent, await createInvoice(), lineItems(900));
      await edit(person, priced, lineItems(800));
      await stack.rows(tenant.id, 'update invoices set agent_priced_at = now() where id = $1', [priced.id]);
      expectRefused(await approve(key, priced));
      const addressed = await createInvoice();
      await stack.rows(tenant.id, 'update invoices set billing_email = $2 where id = $1', [
        addressed.id,
        AGENTS_ADDRESS.billing_email,
      ]);
      expectRefused(await approve(key, addressed));
    });
  });
});
