import { expect } from 'chai';
import { buildDraft, createAgentClient } from '../../support/agents/approvals.js';
import { useDashboard } from '../../support/browser/dashboard.js';
import { createWorkOrderAfter } from '../../support/records/lifecycle-records.js';
import { insertNotice } from '../../support/records/notices.js';

/** Counts the tones that the page plays. */
const COUNT_TONES = `{
  window.tones = 0;
  const { start } = OscillatorNode.prototype;
  OscillatorNode.prototype.start = function (...at) { window.tones += 1; return start.apply(this, at); };
}`;

describe('alerts of the dashboard', () => {
  const dashboard = useDashboard();

  it('a new approval and a new work order are announced on every screen, with a link and in the title', async () => {
    const { page, tenant } = await dashboard.open();
    await tenant.client.post('/invoices', buildDraft(10_000));
    await page.goto(`${dashboard.stack.origin}/app/customers`);
    await page.getByText('Connected').waitFor();
    await createWorkOrderAfter(tenant.client, []);
    await page.getByRole('link', { name: /^New work order/ }).waitFor();
    const { body: invoice } = await tenant.client.post('/invoices', buildDraft(20_000));
    const agent = await createAgentClient(dashboard.stack, tenant.id);
    await agent.post('/approvals', {
      kind: 'invoice_approval',
      invoice_id: invoice.id,
      justification: 'Lines match the signed tow slip.',
    });
    const link = page.getByRole('link', { name: /asks for an approval of \$200\.00/ });
    await link.waitFor();
    expect(await page.title()).to.equal('(2) Customers · Tow Dispatch');
    await link.click();
    await page.getByRole('dialog', { name: `Approve invoice ${invoice.invoice_number}` }).waitFor();
    expect(await page.title()).to.equal('(1) Approvals · Tow Dispatch');
  });

  it('new jobs and notices are heard on Invoices and on Settings, and count in the title until their screen is open', async () => {
    const { page, tenant } = await dashboard.open('invoices');
    await page.getByText('Connected').waitFor();
    const openScreen = async (name: string) => {
      const link = page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name, exact: true });
      await link.click();
      await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
    };
    /** Waits for the toasts of a new notice and a new work order. */
    const hearBoth = async (title: string) => {
      await insertNotice(dashboard.stack, tenant.id, { title });
      const { body } = await tenant.client.post('/work-orders', { service_type: 'tow' });
      await page.getByRole('link', { name: `New work order ${body.job_number}` }).waitFor();
      await page.getByRole('alert').getByRole('link', { name: title }).waitFor();
    };
    await hearBoth('The first notice');
    expect(await page.title()).to.equal('(2) Invoices · Tow Dispatch');
    await openScreen('Settings');
    await hearBoth('The second notice');
    expect(await page.title()).to.equal('(4) Settings · Tow Dispatch');
    await openScreen('Dispatch');
    expect(await page.title(), 'the board shows both jobs').to.equal('(2) Dispatch · Tow Dispatch');
    await openScreen('Overview');
    await openScreen('Customers');
    expect(await page.title(), 'the overview counts the notices').to.equal('Customers · Tow Dispatch');
  });

  it('what happened before the page was opened is not announced', async () => {
    const { page, tenant } = await dashboard.open('');
    await page.getByText('Connected').waitFor();
    await createWorkOrderAfter(tenant.client, []);
    await page.getByRole('link', { name: /^New work order/ }).waitFor();
    await page.reload();
    await page.getByText('Connected').waitFor();
    await tenant.client.post('/customers', { company_name: 'Read Again' });
    await page.goto(`${dashboard.stack.origin}/app/customers`);
    await page.getByRole('link', { name: 'Read Again' }).waitFor();
    expect(await page.getByRole('link', { name: /^New work order/ }).count()).to.equal(0);
    expect(await page.title()).to.equal('Customers · Tow Dispatch');
  });

  it('Sound is off until the person switches it on, and the browser remembers it', async () => {
    const { page } = await dashboard.open('customers');
    await page.getByRole('button', { name: 'Your account' }).click();
    const sound = page.getByRole('switch', { name: 'Sound' });
    expect(await sound.isChecked()).to.equal(false);
    await sound.check();
    await page.reload();
    await page.getByRole('button', { name: 'Your account' }).click();
    expect(await sound.isChecked()).to.equal(true);
  });

  it('a new work order sounds once for a person who switched the sound on, and not at all before', async () => {
    const { page, tenant } = await dashboard.open('customers');
    await page.evaluate(COUNT_TONES);
    await page.getByText('Connected').waitFor();
    const announce = async () => {
      const { body } = await tenant.client.post('/work-orders', { service_type: 'tow' });
      await page.getByRole('link', { name: `New work order ${body.job_number}` }).waitFor();
      return Number(await page.evaluate('window.tones'));
    };
    expect(await announce(), 'tones while the sound is off').to.equal(0);
    await page.getByRole('button', { name: 'Your account' }).click();
    await page.getByRole('switch', { name: 'Sound' }).check();
    expect(await page.evaluate('window.tones'), 'the tone of switching it on').to.equal(1);
    expect(await announce()).to.equal(2);
    await page.getByRole('switch', { name: 'Sound' }).uncheck();
    expect(await announce(), 'tones after switching it off').to.equal(2);
  });
});
