import { expect } from 'chai';
import { createLocalBus } from '../../../shared/platform/bus.js';
import { deriveKey, unseal } from '../../../shared/platform/crypto.js';
import { startWritesWorker } from '../../../workers/writes/index.js';
import {
  APPROVAL_THRESHOLD_CENTS,
  buildDraft,
  createAgentClient,
  expectHeld,
  setApprovalThreshold,
} from '../../support/agents/approvals.js';
import { expectError } from '../../support/expect-error.js';
import { endpointInput, invoiceInput } from '../../support/records/samples.js';
import { useOwnStack, useTenant } from '../../support/use-stack.js';

describe('writes whose queue reply is lost', () => {
  const stack = useOwnStack({ worker: false, environment: { WRITE_TIMEOUT_MS: '1500' } });
  const tenant = useTenant(stack);

  before(async () => {
    // The worker publishes its replies on a separate bus, so they never reach the API.
    startWritesWorker({ ...stack.runtime, bus: createLocalBus() });
  });

  it('POST /invoices without a queue reply returns 201 with the committed invoice and leaves no operation', async () => {
    const response = await tenant.client.post('/invoices', invoiceInput());
    expect(response.status, response.text).to.equal(201);
    expect(response.headers.location).to.equal(`/v1/invoices/${response.body.id}`);
    expect((await tenant.client.get(`/invoices/${response.body.id}`)).text).to.equal(response.text);
    expect(await stack.rows(tenant.id, 'select id from operations')).to.deep.equal([]);
  });

  it('POST /invoices without a queue reply returns the error of a failed write', async () => {
    const body = invoiceInput();
    expect((await tenant.client.post('/invoices', body)).status).to.equal(201);
    expectError(await tenant.client.post('/invoices', body), 409, 'duplicate_invoice_number');
  });

  it("a held agent's write without a queue reply returns 202 with its approval", async () => {
    await setApprovalThreshold(tenant);
    const agent = await createAgentClient(stack, tenant.id);
    const approval = expectHeld(await agent.post('/invoices', buildDraft(APPROVAL_THRESHOLD_CENTS)));
    expect((await tenant.client.get(`/approvals/${approval.id}`)).body).to.deep.equal(approval);
    expect(await stack.rows(tenant.id, 'select id from operations')).to.deep.equal([]);
  });

  it('POST /api-keys without a queue reply still shows the new key', async () => {
    const response = await tenant.client.post('/api-keys', { name: 'Unheard' });
    expect(response.status, response.text).to.equal(201);
    expect((await stack.createClient(response.body.key).get('/me')).body.key.id).to.equal(response.body.id);
  });

  it('POST and DELETE of a webhook endpoint without a queue reply return its signing secret and its deleted record', async () => {
    const created = await tenant.client.post('/webhook-endpoints', endpointInput());
    expect(created.status, created.text).to.equal(201);
    const [row] = await stack.rows<{ secret_sealed: string }>(
      tenant.id,
      'select secret_sealed from webhook_secrets',
    );
    const key = deriveKey(stack.runtime.config.secretKey, 'webhook-secrets');
    expect(created.body.secret).to.equal(unseal(key, row?.secret_sealed as string));
    const deleted = await tenant.client.delete(`/webhook-endpoints/${created.body.id}`);
    expect(deleted.status, deleted.text).to.equal(200);
    expect(deleted.body).to.include({ id: created.body.id, enabled: false });
  });
});
