import { expect } from 'chai';
import { createLocalBus } from '../../shared/platform/bus.js';
import { deriveKey, unseal } from '../../shared/platform/crypto.js';
import { startWritesWorker } from '../../workers/writes/index.js';
import { draftOf, expectHeld, GATE, newAgent, setGate } from '../support/approvals.js';
import { expectError } from '../support/expect-error.js';
import { endpointInput, invoiceInput } from '../support/samples.js';
import { TestStack, type TestTenant } from '../support/stack.js';

describe('writes whose reply is lost', () => {
  let stack: TestStack;
  let tenant: TestTenant;

  before(async () => {
    stack = await TestStack.start({ worker: false, environment: { WRITE_TIMEOUT_MS: '1500' } });
    tenant = await stack.createTenant();
    // A bus of the worker's own: what it publishes reaches nobody.
    startWritesWorker({ ...stack.runtime, bus: createLocalBus() });
  });
  after(() => stack.stop());

  it('are answered 201 by what was committed, and leave no operation', async () => {
    const answer = await tenant.client.post('/invoices', invoiceInput());
    expect(answer.status, answer.text).to.equal(201);
    expect(answer.headers.location).to.equal(`/v1/invoices/${answer.body.id}`);
    expect((await tenant.client.get(`/invoices/${answer.body.id}`)).text).to.equal(answer.text);
    expect(await stack.rows(tenant.id, 'select id from operations')).to.deep.equal([]);
  });

  it('are answered with their own error when they failed', async () => {
    const body = invoiceInput();
    expect((await tenant.client.post('/invoices', body)).status).to.equal(201);
    expectError(await tenant.client.post('/invoices', body), 409, 'duplicate_invoice_number');
  });

  it("are answered 202 with the approval where an agent's write is held", async () => {
    await setGate(tenant);
    const agent = await newAgent(stack, tenant.id);
    const approval = expectHeld(await agent.post('/invoices', draftOf(GATE)));
    expect((await tenant.client.get(`/approvals/${approval.id}`)).body).to.deep.equal(approval);
    expect(await stack.rows(tenant.id, 'select id from operations')).to.deep.equal([]);
  });

  it('still show the API key that they made', async () => {
    const answer = await tenant.client.post('/api-keys', { name: 'Unheard' });
    expect(answer.status, answer.text).to.equal(201);
    expect((await stack.clientWith(answer.body.key).get('/me')).body.key.id).to.equal(answer.body.id);
  });

  it('show the secret of an endpoint as its deliveries will be signed, and its record once it is deleted', async () => {
    const made = await tenant.client.post('/webhook-endpoints', endpointInput());
    expect(made.status, made.text).to.equal(201);
    const [row] = await stack.rows<{ secret_sealed: string }>(
      tenant.id,
      'select secret_sealed from webhook_secrets',
    );
    const key = deriveKey(stack.runtime.config.secretKey, 'webhook-secrets');
    expect(made.body.secret).to.equal(unseal(key, row?.secret_sealed as string));
    const deleted = await tenant.client.delete(`/webhook-endpoints/${made.body.id}`);
    expect(deleted.status, deleted.text).to.equal(200);
    expect(deleted.body).to.include({ id: made.body.id, enabled: false });
  });
});
