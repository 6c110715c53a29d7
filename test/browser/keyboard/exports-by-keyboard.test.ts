/** Exports, their schedules, approvals and suggestions by keyboard alone. */
import { expect } from 'chai';
import { useDashboard } from '../../support/browser/dashboard.js';
import { openForKeyboard } from '../../support/browser/keyboard-person.js';
import { createInvoiceAfter } from '../../support/records/lifecycle-records.js';
import { storeLastingSuggestion } from '../../support/records/suggestions.js';

describe('exports and decisions by keyboard alone', function () {
  this.timeout(120_000);
  const dashboard = useDashboard();

  it('a person writes an export, downloads it, deletes the file, and lets it be written again', async () => {
    const { page, person } = await openForKeyboard(dashboard, 'exports');
    const form = await person.openDialog('New export', 'New export');
    await person.choose('Resource', 'Customers');
    await person.submit(form, 'Start export');
    const drawer = person.dialog('Customers as CSV');
    await drawer.getByRole('link', { name: 'Download' }).waitFor();
    await person.waitForFocus(drawer);
    await person.tabTo('link', 'Download');
    const [download] = await Promise.all([page.waitForEvent('download'), person.press('Enter')]);
    expect(await download.failure()).to.equal(null);
    await person.confirm('Delete file', 'Delete file: Customers as CSV', 'Delete file');
    await person.activate('button', 'Retry');
    await drawer.getByRole('link', { name: 'Download' }).waitFor();
    await person.waitForFocus(drawer);
    await person.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    person.expectWrites('POST /exports', 'DELETE /exports/{id}', 'POST /exports/{id}/retry');
  });

  it('a person creates, pauses, changes and deletes a schedule', async () => {
    const { page, person } = await openForKeyboard(dashboard, 'exports?view=schedules');
    const form = await person.openDialog('New schedule', 'New schedule');
    await person.choose('Repeats', 'Weekly');
    await person.submit(form, 'Create schedule');
    const drawer = person.dialog('Invoices as CSV, weekly');
    await person.waitForFocus(drawer);
    await person.activate('button', 'Pause');
    await drawer.getByRole('button', { name: 'Resume' }).waitFor();
    await person.waitForFocus(drawer);
    await person.activate('button', 'Resume');
    await drawer.getByRole('button', { name: 'Pause' }).waitFor();
    const edit = await person.openDialog('Edit', 'Edit Invoices as CSV, weekly');
    await person.choose('Format', 'NDJSON');
    await person.submit(edit, 'Save');
    await person.waitForFocus(person.dialog('Invoices as NDJSON, weekly'));
    await person.confirm('Delete', 'Delete Invoices as NDJSON, weekly', 'Delete schedule');
    await page.getByText('There are no schedules yet.').waitFor();
    person.expectWrites(
      'POST /export-schedules',
      'PATCH /export-schedules/{id}',
      'DELETE /export-schedules/{id}',
    );
  });

  it('a person approves one request of an agent, and rejects another with a reason', async () => {
    const { page, person, tenant } = await openForKeyboard(dashboard, '');
    const ids: string[] = [];
    for (const justification of ['The slip is signed', 'The slip is lost']) {
      const invoice_id = await createInvoiceAfter(tenant.client, []);
      const { body } = await tenant.client.post('/approvals', { invoice_id, justification });
      ids.push(body.id);
    }
    await person.activate('link', 'Approvals');
    const requests = page.getByRole('table').getByRole('link');
    for (const verb of ['Approve', 'Reject']) {
      await person.reach(requests.first());
      await person.press('Enter');
      const review = await person.openDialog(verb, `${verb} this request?`);
      if (verb === 'Reject') await person.fill('textbox', /^Reason/, 'Nobody signed it');
      await person.submit(review, verb);
      await person.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    await page.getByRole('table').getByRole('link').first().waitFor({ state: 'detached' });
    const decided = await Promise.all(ids.map((id) => tenant.client.get(`/approvals/${id}`)));
    expect(decided.map(({ body }) => body.status).sort()).to.deep.equal(['approved', 'rejected']);
    person.expectWrites('POST /approvals/{id}/approve', 'POST /approvals/{id}/reject');
  });

  it('a person accepts one suggestion, and dismisses another with a reason', async () => {
    const { page, person, tenant } = await openForKeyboard(dashboard, '');
    for (const title of ['The amount is unusual', 'The amount is high']) {
      const id = await createInvoiceAfter(tenant.client, []);
      await storeLastingSuggestion(dashboard.stack, tenant.id, { entity_id: id, invoice_id: id, title });
    }
    await person.activate('link', 'Suggestions');
    for (const [verb, title] of [
      ['Accept', 'The amount is unusual'],
      ['Dismiss', 'The amount is high'],
    ] as const) {
      await person.activate('link', title);
      await person.waitForFocus(person.dialog(title));
      const form = await person.openDialog(verb, new RegExp(`^${verb}`));
      if (verb === 'Dismiss') await person.fill('textbox', /^Reason/, 'It is right');
      await person.submit(form, verb);
      await person.press('Escape');
      await person.dialog(title).waitFor({ state: 'detached' });
    }
    expect(await page.getByRole('table').getByRole('link').count()).to.equal(0);
    person.expectWrites('POST /suggestions/{id}/accept', 'POST /suggestions/{id}/dismiss');
  });
});
