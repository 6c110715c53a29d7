/** A person clicks through a company's first day. A second person decides an approval too late. */
import { expect } from 'chai';
import { TestAgent } from '../../support/agents/agent.js';
import { CompanyPerson, serveLinks, setUpFleetAndPrices } from '../../support/browser/company-person.js';
import { useDashboard } from '../../support/browser/dashboard.js';
import { createUser } from '../../support/records/sign-in.js';
import { StrictReceiver } from '../../support/webhooks/strict-receiver.js';

describe('the first day with the dashboard, by mouse alone', function () {
  this.timeout(180_000);
  const dashboard = useDashboard();
  let receiver: StrictReceiver;
  before(async () => {
    receiver = await StrictReceiver.start();
  });
  after(() => receiver?.stop());

  it('a person goes from the sign-in page to a paid invoice, an export and the approval of an agent', async () => {
    const { page, context, tenant, user } = await dashboard.open('', { isSignedOut: true });
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: dashboard.stack.origin });
    await serveLinks(context, dashboard.stack.origin);
    const target = receiver.add();
    const day = new CompanyPerson(page);

    await day.signIn(user);
    const key = await day.createApiKey();
    const client = dashboard.stack.createClient(key);
    await day.addEndpoint(target);
    await day.sendTestAndReplay(target);
    await day.createCustomer();
    await setUpFleetAndPrices(client);
    const number = await day.createWorkOrder();
    await day.assign(number);
    await day.complete(number);
    const invoiceNumber = await day.createInvoice(number);
    const totalCents = await day.approveAndSend(client, invoiceNumber);
    await day.openCustomersPage(context, invoiceNumber);
    await day.recordPayment(client, invoiceNumber);
    await day.exportInvoices({ invoiceNumber, totalCents });

    const agentKey = await day.createAgentKey();
    await day.setThreshold();
    const { body: orders } = await client.get('/work-orders');
    await holdDraft(dashboard.stack.origin, agentKey, orders.data.items[0].id);
    const second = await createUser(dashboard.stack, tenant.id, { name: 'Uma Umbrella' });
    const late = new CompanyPerson((await dashboard.open('', { tenant, user: second })).page);
    await late.beginToReject();
    await day.approveHeld();
    await late.seeDecision(user);
    const { body } = await client.get('/approvals?status=approved');
    expect(body.data.items.map(({ decided_by: by }: { decided_by: string }) => by)).to.deep.equal([user.id]);
    expect(target.problems).to.deep.equal([]);
  });
});

/**
 * Asks for a draft of $1,200.00 through the official MCP client. The amount exceeds the approval
 * threshold, so the service holds the request.
 */
async function holdDraft(origin: string, key: string, workOrderId: string): Promise<void> {
  const agent = await TestAgent.connect(origin, key);
  const line = { name: 'Recovery', category: 'recovery', quantity: 1, unit_type: 'each', taxable: true };
  const result = await agent.callOk('create_invoice_draft', {
    work_order_id: workOrderId,
    line_items: [{ ...line, unit_price_cents: 120_000 }],
  });
  expect(result).to.include({ pending_approval: true });
  await agent.client.close();
}
