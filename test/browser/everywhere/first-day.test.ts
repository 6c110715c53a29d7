/**
 * Starts the built product as `npm start` does, opens the address that it prints, and clicks
 * through a company's first day with the account that it prints.
 */
import { expect } from 'chai';
import { TestAgent } from '../../support/agents/agent.js';
import { useBrowser } from '../../support/browser/dashboard.js';
import { PageWatch } from '../../support/browser/page-watch.js';
import { CompanyPerson } from '../../support/browser/walks/company-person.js';
import { useProcesses } from '../../support/load/processes.js';
import { PAGE_TIMEOUT_MS } from '../../support/network/browser.js';
import { getFreePort, IS_SCALED } from '../../support/stores.js';
import { StrictReceiver } from '../../support/webhooks/strict-receiver.js';

const AGENT = 'Night desk';
/** The dashboard's address, and the name, address and password of the demo account's owner. */
const WELCOME = /dashboard (\S+) .*\n+ *Demo account {2}.* {3}(\S+) \/ (\S+)\n/;

if (!IS_SCALED) {
  describe('the first day with npm start, by mouse alone', function () {
    this.timeout(240_000);
    const browser = useBrowser();
    const processes = useProcesses();
    const watch = new PageWatch();
    let receiver: StrictReceiver;
    before(async () => {
      receiver = await StrictReceiver.start();
    });
    after(() => receiver?.stop());

    it('a person goes from the printed address to a paid invoice, an export and the approval of an agent', async () => {
      const product = processes.start({
        command: ['node', '--enable-source-maps', 'dist/bin/start.js'],
        env: { DATA_DIR: await processes.createFolder(), PORT: `${await getFreePort()}` },
      });
      const [, address = '', email = '', password = ''] = await product.waitForOutput(WELCOME, 120_000);
      const { origin } = new URL(address);
      const context = await browser.newContext({ viewport: { width: 1400, height: 900 }, locale: 'en-US' });
      context.setDefaultTimeout(PAGE_TIMEOUT_MS);
      await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin });
      watch.watchContext(context, { origins: [origin] });
      const page = await context.newPage();
      await page.goto(address);
      const target = receiver.endpoint;
      const day = new CompanyPerson(page);

      await day.signIn({ email, password });
      await day.createApiKey();
      await day.addEndpoint(target);
      await day.sendTestAndReplay(target);
      await day.createCustomer();
      const number = await day.createWorkOrder();
      await day.assign(number);
      await day.complete(number);
      const invoiceNumber = await day.createInvoice(number);
      const totalCents = await day.approveAndSend(invoiceNumber);
      await (await day.openCustomersPage(context, invoiceNumber)).close();
      await day.recordPayment(invoiceNumber);
      await day.exportInvoices({ invoiceNumber, totalCents });

      const agent = await day.createAgentKey(AGENT);
      await day.setThreshold();
      await holdDraft(agent, number);
      await day.approveHeld(AGENT, { name: 'Dana Whitfield' });
      await day.seeDeliveries(['work_order.completed', 'invoice.sent', 'invoice.paid']);
      expect(receiver.problems).to.deep.equal([]);

      await context.close();
      watch.expectNoFaults();
      expect(await product.stop('SIGTERM'), product.output).to.deep.equal({ code: 0, signal: null });
      expect(await processes.listSurvivors()).to.deep.equal([]);
    });
  });
}

/**
 * The agent finds the work order, and asks for a draft of $1,200.00 through the official MCP
 * client. The amount exceeds the approval threshold, so the product holds the request.
 */
async function holdDraft({ url, key }: { url: string; key: string }, number: string): Promise<void> {
  const agent = await TestAgent.connect(new URL(url).origin, key);
  const { items } = await agent.callOk('list_work_orders', { status: 'completed' });
  const order = items.find((one: { job_number: string }) => one.job_number === number);
  const line = { name: 'Recovery', category: 'recovery', quantity: 1, unit_type: 'each', taxable: false };
  const result = await agent.callOk('create_invoice_draft', {
    work_order_id: order.id,
    line_items: [{ ...line, unit_price_cents: 120_000 }],
  });
  expect(result).to.include({ pending_approval: true });
  await agent.client.close();
}
