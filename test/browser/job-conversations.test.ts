import { useDashboard } from '../support/browser/dashboard.js';
import { createHandle } from '../support/use-stack.js';
import { usePhoningStack } from '../support/vendors/phoning.js';

describe('texts of a job in the dashboard', () => {
  const phoning = usePhoningStack();
  const dashboard = useDashboard(createHandle(() => phoning.stack));

  it('a text of a customer appears under its job, and a dispatcher answers it', async () => {
    const account = await phoning.createAccount();
    const phone = '+15185550171';
    const job = await account.client.post('/work-orders', { service_type: 'tow', contact_phone: phone });
    await account.receive(phone, 'How long will it take?');
    const { page } = await dashboard.open(`work-orders/${job.body.id}?tab=texts`, { tenant: account.tenant });
    await page.getByRole('cell', { name: 'How long will it take?' }).waitFor();
    await page.getByLabel(`Text to ${phone}`).fill('About 20 minutes.');
    await page.getByRole('button', { name: 'Send text' }).click();
    await page.getByRole('cell', { name: 'About 20 minutes.' }).waitFor();
  });

  it('a text about jobs gets the words of the account, and is switched on', async () => {
    const account = await phoning.createAccount();
    const { page } = await dashboard.open('settings?tab=texts', { tenant: account.tenant });
    await page.getByRole('button', { name: 'Edit On scene' }).click();
    const dialog = page.getByRole('dialog', { name: 'Text: On scene' });
    await dialog.getByLabel('Text', { exact: true }).fill('{company} is {where}.');
    await dialog.getByRole('switch', { name: 'Send this text' }).check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('{where}').first().waitFor();
    await dialog.getByLabel('Text', { exact: true }).fill('{company} is here.');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('cell', { name: '{company} is here.' }).waitFor();
    await page
      .getByRole('row', { name: /On scene/ })
      .getByText('Yes')
      .waitFor();
  });
});
