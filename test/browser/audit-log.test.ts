import { expect } from 'chai';
import { useDashboard } from '../support/browser/dashboard.js';

describe('the screen Audit log', () => {
  const dashboard = useDashboard();

  it('the filters stand in the URL, so that a pasted link shows the same entries', async () => {
    const { page, tenant } = await dashboard.open();
    await tenant.client.post('/customers', { company_name: 'Audited Shop' });
    await tenant.client.patch('/settings', { terms_days: 21 });
    await page.goto(`${dashboard.stack.origin}/app/audit-log`);
    await page.getByRole('link', { name: 'Settings updated' }).waitFor();
    await page.getByRole('combobox', { name: 'Record type' }).click();
    await page.getByRole('option', { name: 'Customer', exact: true }).click();
    await page.getByRole('link', { name: 'Settings updated' }).waitFor({ state: 'detached' });
    await page.getByRole('combobox', { name: 'Action' }).click();
    await page.getByRole('option', { name: 'Customer created' }).click();
    await page.waitForURL(/entity_type=customer&action=customer\.created/);
    await page.reload();
    await page.getByRole('link', { name: 'Customer created' }).waitFor();
    expect(await page.getByRole('row').count(), 'header and one entry').to.equal(2);
  });

  it('an entry shows who changed what, before and after, and leads to the record', async () => {
    const { page, tenant } = await dashboard.open();
    const { body: customer } = await tenant.client.post('/customers', {
      company_name: 'Old Name',
      city: 'Yonkers',
    });
    const patched = await tenant.client.patch(`/customers/${customer.id}`, {
      company_name: 'New Name',
      city: null,
      terms_days: 7,
    });
    await page.goto(`${dashboard.stack.origin}/app/audit-log?entity_id=${customer.id}`);
    await page.getByRole('link', { name: 'Customer updated' }).click();
    const drawer = page.getByRole('dialog', { name: 'Customer updated' });
    await drawer.getByRole('row', { name: 'Company name Changed Old Name New Name' }).waitFor();
    await drawer.getByRole('row', { name: 'City Removed Yonkers empty' }).waitFor();
    await drawer.getByRole('row', { name: 'Terms days Added empty 7' }).waitFor();
    await drawer.getByText(patched.headers['x-request-id'] as string).waitFor();
    await drawer.getByRole('link', { name: 'Open customer' }).click();
    await page.getByRole('dialog', { name: 'New Name' }).waitFor();
  });
});
