/** Webhooks by keyboard alone. */
import { expect } from 'chai';
import { useDashboard } from '../../support/browser/dashboard.js';
import { openForKeyboard } from '../../support/browser/keyboard-person.js';
import { eventually } from '../../support/poll.js';
import { invoiceInput } from '../../support/records/samples.js';
import { StrictReceiver } from '../../support/webhooks/strict-receiver.js';

describe('webhooks by keyboard alone', function () {
  this.timeout(120_000);
  const dashboard = useDashboard();
  let receiver: StrictReceiver;
  before(async () => {
    receiver = await StrictReceiver.start();
  });
  after(() => receiver?.stop());

  it('a person changes an endpoint, disables and enables it, recovers, rolls its secret, and deletes it', async () => {
    const { page, person, tenant, target, endpointId, goTo } = await openWithEndpoint();
    await goTo(`webhooks/${endpointId}?tab=settings`);
    const edit = await person.openDialog('Edit', 'Edit endpoint');
    await person.fillField('Description', 'The body shop');
    await person.submit(edit, 'Save');
    await person.confirm('Disable', 'Disable this endpoint', 'Disable');
    await tenant.client.post('/invoices', invoiceInput());
    await person.confirm('Enable', 'Enable this endpoint', 'Enable');
    const recover = await person.openDialog('Recover', 'Recover missed events');
    await person.activate('button', 'Count');
    await person.submit(recover, 'Recover 1 delivery');
    await target.waitFor(1);
    await goTo(`webhooks/${endpointId}?tab=settings`);
    const roll = await person.openDialog('Roll', 'Roll the signing secret');
    await person.pick('Signs for 1 hour more');
    await person.submit(roll, 'Roll');
    const shown = person.dialog('New secret');
    await person.waitForFocus(shown);
    await person.press('Escape');
    expect(await shown.isVisible(), 'a secret stays open on Esc').to.equal(true);
    await person.submit(shown, 'I stored it');
    await person.confirm('Delete', 'Delete this endpoint', 'Delete');
    await page.getByText(/There are no endpoints yet/).waitFor();
    await person.expectFocusInPage();
    person.expectWrites(
      'PATCH /webhook-endpoints/{id}',
      'POST /webhook-endpoints/{id}/recover',
      'POST /webhook-endpoints/{id}/rotate-secret',
      'DELETE /webhook-endpoints/{id}',
    );
  });

  it('a person replays many deliveries, cancels the replay, and cancels a failed delivery', async () => {
    const { page, person, tenant, target, endpointId, goTo } = await openWithEndpoint();
    await tenant.client.post('/invoices', invoiceInput());
    await waitForDelivery('succeeded');
    await goTo(`webhooks?view=deliveries&status=succeeded&endpoint_id=${endpointId}`);
    const many = await person.openDialog('Replay many', 'Replay many');
    await person.activate('button', 'Count');
    await person.submit(many, 'Replay 1 delivery');
    await page.getByText('1 of 1 deliveries created').waitFor();
    await person.confirm('Cancel replay', 'Cancel this replay', 'Cancel replay');
    target.respond = () => ({ status: 500, body: 'The till is closed' });
    await tenant.client.post('/invoices', invoiceInput());
    const failed = await waitForDelivery('failed');
    await goTo(`webhooks?view=deliveries&delivery=${failed.id}`);
    await person.confirm('Cancel delivery', 'Cancel this delivery', 'Cancel delivery');
    await person.press('Escape');
    await person.dialog(/^Delivery of/).waitFor({ state: 'detached' });
    person.expectWrites(
      'POST /webhook-deliveries/replay',
      'POST /webhook-replays/{id}/cancel',
      'POST /webhook-deliveries/{id}/cancel',
    );

    function waitForDelivery(status: string) {
      return eventually(`a delivery that is ${status}`, async () => {
        const { body } = await tenant.client.get(
          `/webhook-deliveries?endpoint_id=${endpointId}&status=${status}`,
        );
        return body.data.items[0];
      });
    }
  });

  it('a person checks a signature', async () => {
    const { page, person, tenant, target, secret, goTo } = await openWithEndpoint();
    await tenant.client.post('/invoices', invoiceInput());
    const [request] = await target.waitFor(1);
    await goTo('webhooks?view=verify');
    for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature'])
      await person.fillField(name, String(request?.headers[name]));
    await person.fillField('Body', 'something else');
    await person.fillField('Secret', secret);
    await person.activate('button', 'Verify');
    await page.getByRole('region', { name: 'Result' }).waitFor();
    person.expectFocusWasSeen();
  });

  /** Opens the dashboard of an account that has one endpoint for all events of invoices. */
  async function openWithEndpoint() {
    const target = receiver.add();
    const opened = await openForKeyboard(dashboard);
    const { body } = await opened.tenant.client.post('/webhook-endpoints', {
      url: target.url,
      event_types: ['invoice.*'],
    });
    target.secrets = [body.secret];
    const goTo = async (path: string) => {
      await opened.page.goto(`${dashboard.stack.origin}/app/${path}`);
      await opened.page.getByRole('heading', { level: 1 }).waitFor();
    };
    return { ...opened, target, goTo, endpointId: body.id as string, secret: body.secret as string };
  }
});
