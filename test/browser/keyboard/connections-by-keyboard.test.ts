/** Connections to vendors, their issues, and the texts of a job by keyboard alone. */
import { useDashboard } from '../../support/browser/dashboard.js';
import { openForKeyboard } from '../../support/browser/keyboard-person.js';
import { eventually } from '../../support/poll.js';
import { createHandle } from '../../support/use-stack.js';
import { useTextingStack } from '../../support/vendors/texting.js';

const NUMBER = '+12125550100';

describe('connections by keyboard alone', function () {
  this.timeout(120_000);
  const texting = useTextingStack();
  const dashboard = useDashboard(createHandle(() => texting.stack));

  it('a person connects a vendor, changes, tests, pauses, resumes, syncs, signs in again and disconnects', async () => {
    const { tenant } = await texting.createAccount();
    const { page, context, person } = await openForKeyboard(dashboard, 'integrations', { tenant });
    const connect = page.getByRole('button', { name: 'Connect Parrot Texts' }).first();
    await person.reach(connect);
    await person.press('Enter');
    const form = person.dialog('Connect Parrot Texts');
    await person.waitForFocus(form);
    await person.press('Escape');
    await form.waitFor({ state: 'detached' });
    await person.waitForFocus(connect);
    await person.press('Enter');
    await person.fillField('From number', NUMBER);
    await person.submit(form, 'Continue to the sign-in');
    const signIn = person.dialog('Sign in at Parrot Texts');
    await person.waitForFocus(signIn);
    const link = signIn.getByRole('link', { name: 'Sign in at Parrot Texts' });
    await person.reach(link);
    // The double has no sign-in page: it says where such a page would send the browser.
    const back = texting.double.permit((await link.getAttribute('href')) ?? '');
    const window = await context.newPage();
    await window.goto(`${dashboard.stack.origin}${back.pathname}${back.search}`);
    await window.close();
    await signIn.getByText('Parrot Texts is connected.').waitFor();
    await person.activate('button', 'Open the connection');
    const drawer = person.dialog('Parrot of Hudson');
    await person.waitForFocus(drawer);
    for (const [verb, done] of [
      ['Test', 'The vendor is asked now'],
      ['Pause', 'Connection paused'],
      ['Resume', 'Connection resumed'],
      ['Sync now', 'Changes are read now'],
    ] as const) {
      await person.activate('button', verb);
      await person.hear(done);
      await person.waitForFocus(drawer);
    }
    await person.activate('button', 'Reconnect');
    await person.waitForFocus(signIn);
    await person.press('Escape');
    await signIn.waitFor({ state: 'detached' });
    await person.waitForFocus(drawer);
    await person.openTab('Settings');
    const edit = await person.openDialog('Edit settings', 'Edit settings');
    await person.fillField('From number', '+12125550101');
    await person.submit(edit, 'Save');
    await person.confirm('Disconnect', 'Disconnect Parrot of Hudson', 'Disconnect');
    await page.getByRole('button', { name: 'Disconnect', exact: true }).waitFor({ state: 'detached' });
    person.expectWrites(
      'POST /connections',
      'POST /connections/{id}/test',
      'POST /connections/{id}/pause',
      'POST /connections/{id}/resume',
      'POST /connections/{id}/sync',
      'POST /connections/{id}/reconnect',
      'PATCH /connections/{id}',
      'DELETE /connections/{id}',
    );
  });

  it('a person resolves an issue, replays what was given up, and texts a customer about a job', async () => {
    const account = await texting.createAccount();
    await account.connectWithKey('live_key_for_the_keyboard');
    const path = `integrations/${account.connectionId}?tab=issues`;
    const { page, person } = await openForKeyboard(dashboard, path, { tenant: account.tenant });
    texting.double.misbehave = (name) =>
      name === 'POST /texts' ? { kind: 'status', status: 422, body: { error: 'bad_number' } } : undefined;
    await account.sendText();
    await account.sendText();
    const resolve = page.getByRole('button', { name: 'Resolve' });
    await resolve.nth(1).waitFor();
    await person.reach(resolve.first());
    await person.press('Enter');
    const form = person.dialog('Resolve: Refused by the vendor');
    await person.waitForFocus(form);
    await person.pick('Ignore');
    await person.fillField('Note', 'The number was corrected');
    await person.submit(form, 'Resolve');
    texting.double.misbehave = () => undefined;
    await person.openTab('Operations');
    const replay = await person.openDialog('Replay', 'Replay given-up writes');
    await person.submit(replay, 'Replay 1');
    await eventually('a text is sent', async () => texting.double.texts.length > 0);
    person.expectWrites('POST /sync-issues/{id}/resolve', 'POST /connections/{id}/operations/replay');
  });

  it('a dispatcher texts the customer of a work order', async () => {
    const account = await texting.createAccount();
    await account.connectWithKey('live_key_for_jobs');
    const phone = '+15185550171';
    const job = await account.client.post('/work-orders', { service_type: 'tow', contact_phone: phone });
    const path = `work-orders/${job.body.id}?tab=texts`;
    const { page, person } = await openForKeyboard(dashboard, path, { tenant: account.tenant });
    await person.fillField(`Text to ${phone}`, 'About 20 minutes.');
    await person.activate('button', 'Send text');
    await page.getByRole('cell', { name: 'About 20 minutes.' }).waitFor();
    await person.waitForFocus(page.getByRole('dialog'));
    person.expectWrites('POST /messages');
  });
});
