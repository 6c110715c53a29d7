import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { useDashboard } from '../support/browser/dashboard.js';
import { eventually } from '../support/poll.js';
import { invoiceInput, scheduleInput } from '../support/records/samples.js';
import { useStack } from '../support/use-stack.js';

describe('the screen Exports', () => {
  const dashboard = useDashboard();

  it('a person exports invoices, hears when the file is ready, and downloads what its checksum names', async () => {
    const { page, tenant } = await dashboard.open('exports');
    const { body: customer } = await tenant.client.post('/customers', { company_name: 'Bay Street Garage' });
    await tenant.client.post('/invoices', invoiceInput({ customer_id: customer.id }));
    await page.getByRole('button', { name: 'New export' }).first().click();
    const form = page.getByRole('dialog', { name: 'New export' });
    expect(await form.getByRole('combobox', { name: 'Resource' }).inputValue()).to.equal('Invoices');
    expect(await form.getByRole('combobox', { name: 'Format' }).inputValue()).to.equal('CSV');
    await form.getByLabel('From').fill('2020-01-01');
    await form.getByLabel('Line items').check();
    await form.getByRole('button', { name: 'Start export' }).click();
    await page.getByText('Export ready').waitFor();
    const drawer = page.getByRole('dialog', { name: 'Invoices as CSV' });
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      drawer.getByRole('link', { name: 'Download' }).click(),
    ]);
    const file = readFileSync(await download.path());
    await drawer.getByText(createHash('sha256').update(file).digest('hex')).waitFor();
    await drawer.getByRole('cell', { name: 'invoice_line_items.csv', exact: true }).waitFor();
    const { body } = await tenant.client.get('/exports');
    expect(body.data.items[0].filters).to.deep.equal({ since: '2020-01-01' });
    expect(body.data.items[0].include).to.deep.equal(['line_items']);
    expect(new URL(page.url()).pathname).to.equal(`/app/exports/${body.data.items[0].id}`);
  });

  it('a file that a person deletes can be written again, and the filters Status and Resource find it', async () => {
    const { page, tenant } = await dashboard.open();
    const { body: created } = await tenant.client.post('/exports', { resource: 'customers', format: 'json' });
    const hasStatus = (status: string) =>
      eventually(`the export is ${status}`, async () => {
        const { body } = await tenant.client.get(`/exports/${created.id}`);
        return body.status === status;
      });
    await hasStatus('completed');
    await page.goto(`${dashboard.stack.origin}/app/exports?resource=customers&status=completed`);
    await page.getByRole('link', { name: 'Customers as JSON' }).click();
    await page.getByRole('button', { name: 'Delete file' }).click();
    const question = page.getByRole('dialog', { name: 'Delete file: Customers as JSON' });
    await question.getByRole('button', { name: 'Delete file' }).click();
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByRole('link', { name: 'Download' }).waitFor();
    await hasStatus('completed');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.goto(`${dashboard.stack.origin}/app/exports?resource=invoices`);
    await page.getByText('Nothing matches these filters.').waitFor();
  });

  it('a schedule is created, paused, changed and deleted, and shows its next run', async () => {
    const { page, tenant } = await dashboard.open('exports?view=schedules');
    await page.getByRole('button', { name: 'New schedule' }).first().click();
    const form = page.getByRole('dialog', { name: 'New schedule' });
    await form.getByRole('combobox', { name: 'Repeats' }).click();
    await page.getByRole('option', { name: 'Weekly' }).click();
    await form.getByRole('combobox', { name: 'Weekday' }).click();
    await page.getByRole('option', { name: 'Friday' }).click();
    await form.getByRole('button', { name: 'Create schedule' }).click();
    const drawer = page.getByRole('dialog', { name: 'Invoices as CSV, weekly' });
    await drawer.getByText('Every Friday at 4 AM').waitFor();
    await drawer.getByText('The schedule has not run yet.').waitFor();
    await drawer.getByRole('button', { name: 'Pause' }).click();
    await drawer.getByRole('button', { name: 'Resume' }).click();
    await drawer.getByRole('button', { name: 'Pause' }).waitFor();
    await drawer.getByRole('button', { name: 'Edit' }).click();
    const edit = page.getByRole('dialog', { name: 'Edit Invoices as CSV, weekly' });
    await edit.getByRole('combobox', { name: 'Resource' }).click();
    await page.getByRole('option', { name: 'Everything' }).click();
    await edit.getByRole('combobox', { name: 'Format' }).click();
    await page.getByRole('option', { name: 'SQL dump' }).click();
    await edit.getByRole('button', { name: 'Save' }).click();
    const changed = page.getByRole('dialog', { name: 'Everything as SQL dump, weekly', exact: true });
    await changed.waitFor();
    const { body } = await tenant.client.get('/export-schedules');
    expect(body.data.items[0]).to.include({
      resource: 'all',
      format: 'dump',
      weekday: 'friday',
      period: 'all',
      enabled: true,
    });
    await changed.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete schedule' }).click();
    await page.getByText('There are no schedules yet.').waitFor();
    expect(new URL(page.url()).search).to.equal('?view=schedules');
  });
});

describe('two people who change one export schedule', () => {
  const dashboard = useDashboard();

  it('the second sees what changed, and saving again keeps both changes', async () => {
    const { page, tenant } = await dashboard.open();
    const { body: schedule } = await tenant.client.post('/export-schedules', scheduleInput());
    await page.goto(`${dashboard.stack.origin}/app/exports/${schedule.id}?view=schedules`);
    const drawer = page.getByRole('dialog', { name: 'Invoices as CSV, daily' });
    await drawer.getByRole('button', { name: 'Edit' }).click();
    const edit = page.getByRole('dialog', { name: 'Edit Invoices as CSV, daily' });
    await edit.getByRole('combobox', { name: 'Format' }).click();
    await page.getByRole('option', { name: 'NDJSON' }).click();
    await tenant.client.patch(`/export-schedules/${schedule.id}`, { hour: 9 });
    // The drawer behind the form shows the new hour at once. The form must keep the old version of
    // the schedule, or saving would hide the other person's change.
    await page.getByText('9 AM').first().waitFor();
    await edit.getByRole('button', { name: 'Save' }).click();
    await edit.getByRole('alert').getByText(/hour/i).waitFor();
    await edit.getByRole('button', { name: 'Save' }).click();
    await edit.waitFor({ state: 'detached' });
    const { body } = await tenant.client.get(`/export-schedules/${schedule.id}`);
    expect(body).to.include({ hour: 9, format: 'ndjson' });
  });
});

describe('the screen Exports while no worker writes', () => {
  const dashboard = useDashboard(useStack());

  it('a waiting export is cancelled after a question that says what happens, and can be queued again', async () => {
    const { page, tenant } = await dashboard.open('exports');
    await tenant.client.post('/exports', { resource: 'all', format: 'csv' });
    await page.getByRole('link', { name: 'Everything as CSV' }).click();
    const drawer = page.getByRole('dialog', { name: 'Everything as CSV', exact: true });
    await drawer.getByText(/^0 of about/).waitFor();
    await drawer.getByRole('button', { name: 'Cancel' }).click();
    const question = page.getByRole('dialog', { name: 'Cancel export: Everything as CSV' });
    await question.getByText('what it has written is deleted').waitFor();
    await question.getByRole('button', { name: 'Cancel export' }).click();
    await drawer.getByText('Cancelled').waitFor();
    await drawer.getByRole('button', { name: 'Retry' }).click();
    await drawer.getByText('Queued').waitFor();
    const { body } = await tenant.client.get('/exports?status=queued');
    expect(body.data.items).to.have.length(1);
  });
});
