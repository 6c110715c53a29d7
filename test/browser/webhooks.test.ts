import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { type OpenDashboard, useDashboard } from '../support/browser/dashboard.js';
import { eventually } from '../support/poll.js';
import { invoiceInput } from '../support/records/samples.js';
import type { TestTenant } from '../support/stack.js';
import { StrictReceiver } from '../support/webhooks/strict-receiver.js';
import { insertDeliveries, insertEvents } from '../support/webhooks/webhook-rows.js';

describe('the screen Webhooks', () => {
  const dashboard = useDashboard();
  let receiver: StrictReceiver;
  before(async () => {
    receiver = await StrictReceiver.start();
  });
  after(() => receiver?.stop());

  it('a new endpoint shows its secret once, and its test event arrives signed by it and shows', async () => {
    const target = receiver.add();
    const { page, tenant } = await dashboard.open('webhooks');
    await page.getByRole('button', { name: 'Add endpoint' }).first().click();
    const form = page.getByRole('dialog', { name: 'Add endpoint' });
    await form.getByLabel('URL').fill('not an address');
    await form.getByRole('button', { name: 'Add endpoint' }).click();
    await form.getByText(/^url must be/).waitFor();
    await form.getByLabel('URL').fill(target.url);
    await form.getByLabel('All events (*)').uncheck();
    await form.getByLabel('invoice.*').check();
    await form.getByRole('button', { name: 'Add endpoint' }).click();
    target.secrets = [await readSecret(page.getByRole('dialog', { name: 'Endpoint added' }))];
    await page.getByRole('button', { name: 'Send test event' }).click();
    const dialog = page.getByRole('dialog', { name: 'Send test event' });
    await dialog.getByRole('button', { name: 'Send test event' }).click();
    await page.getByRole('article', { name: 'Attempt 1' }).getByText('HTTP 200').waitFor();
    expect(target.problems).to.deep.equal([]);
    const { body } = await tenant.client.get('/webhook-endpoints');
    expect(body.data.items[0].event_types).to.deep.equal(['invoice.*']);
    expect(await page.evaluate('JSON.stringify([localStorage, sessionStorage])')).not.to.contain('whsec_');
  });

  it('rolling with an overlap shows a new secret, and both secrets sign until the old one ends', async () => {
    const target = receiver.add();
    const { page, tenant } = await dashboard.open();
    const { body: endpoint } = await tenant.client.post('/webhook-endpoints', {
      url: target.url,
      event_types: ['*'],
    });
    await openScreen(page, `webhooks/${endpoint.id}`);
    await page.getByRole('button', { name: 'Roll' }).click();
    const dialog = page.getByRole('dialog', { name: 'Roll the signing secret' });
    await dialog.getByLabel('Signs for 1 hour more').check();
    await dialog.getByRole('button', { name: 'Roll' }).click();
    const secret = await readSecret(page.getByRole('dialog', { name: 'New secret' }));
    target.secrets = [secret, endpoint.secret];
    await tenant.client.post(`/webhook-endpoints/${endpoint.id}/test`, {});
    await target.waitFor(1);
    expect(target.problems).to.deep.equal([]);
    const { body } = await tenant.client.get(`/webhook-endpoints/${endpoint.id}`);
    const [, old] = body.secrets;
    expect(Date.parse(old.expires_at) - Date.now()).to.be.within(3_000_000, 3_600_000);
  });

  it('a disabled endpoint says why, and after enabling, Recover counts and delivers what it missed', async () => {
    const { page, tenant, target, endpointId } = await openWithEndpoint();
    await openScreen(page, `webhooks/${endpointId}?tab=settings`);
    await page.getByRole('button', { name: 'Disable' }).click();
    const confirm = page.getByRole('dialog', { name: 'Disable this endpoint' });
    await confirm.getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('tab', { name: 'Overview' }).click();
    await page.getByText('A person or a key disabled it.').waitFor();
    const { body: invoice } = await tenant.client.post('/invoices', invoiceInput());
    await page.getByRole('button', { name: 'Enable' }).click();
    await page.getByRole('button', { name: 'Recover' }).click();
    const dialog = page.getByRole('dialog', { name: 'Recover missed events' });
    await dialog.getByRole('button', { name: 'Count' }).click();
    await dialog.getByText('Recover sends 1 delivery').waitFor();
    expect(target.requests, 'a count sends nothing').to.have.lengthOf(0);
    await dialog.getByRole('button', { name: 'Recover 1 delivery' }).click();
    await page.getByText('1 of 1 deliveries created').waitFor();
    const [request] = await target.waitFor(1);
    expect(request?.event.data.object.id).to.equal(invoice.id);
  });

  it('Replay many sends what its preview counted, with the same webhook-id, and Cancel stops it', async () => {
    const { page, tenant, target, endpointId } = await openWithEndpoint();
    await tenant.client.post('/invoices', invoiceInput());
    await target.waitFor(1);
    await waitForDelivery(tenant, endpointId, 'succeeded');
    await openScreen(page, `webhooks?view=deliveries&status=succeeded&endpoint_id=${endpointId}`);
    await page.getByRole('link', { name: 'invoice.created' }).waitFor();
    await page.getByRole('button', { name: 'Replay many' }).click();
    const dialog = page.getByRole('dialog', { name: 'Replay many' });
    await dialog.getByRole('button', { name: 'Count' }).click();
    await dialog.getByRole('button', { name: 'Replay 1 delivery' }).click();
    await page.getByText('1 of 1 deliveries created').waitFor();
    await target.waitFor(2);
    expect(target.ids).to.have.lengthOf(1);
    await page.getByRole('button', { name: 'Cancel replay' }).click();
    const confirm = page.getByRole('dialog', { name: 'Cancel this replay' });
    await confirm.getByRole('button', { name: 'Cancel replay' }).click();
    await confirm.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Open its deliveries' }).click();
    await page.getByRole('row', { name: /invoice\.created.*Replay/ }).waitFor();
  });

  it('a replay that a person cancels midway sends no more, and says how many of all it had created', async () => {
    const { page, tenant, target, endpointId } = await openWithEndpoint();
    const rows = { stack: dashboard.stack, tenantId: tenant.id };
    const events = await insertEvents(rows, Array(300).fill('invoice.created'));
    const delivered = events.map((id) => ({ endpoint_id: endpointId, event_id: id, status: 'succeeded' }));
    await insertDeliveries(rows, delivered);
    // The receiver answers nothing until the replay is cancelled.
    let answerAll = () => {};
    const ended = new Promise<void>((resolve) => {
      answerAll = resolve;
    });
    target.respond = () => ended.then(() => ({}));
    await openScreen(page, `webhooks?view=deliveries&status=succeeded&endpoint_id=${endpointId}`);
    await page.getByRole('button', { name: 'Replay many' }).click();
    const dialog = page.getByRole('dialog', { name: 'Replay many' });
    await dialog.getByRole('button', { name: 'Count' }).click();
    await dialog.getByRole('button', { name: 'Replay 300 deliveries' }).click();
    // The replay creates 200 deliveries, and waits while 100 or more of them are open.
    await page.getByText('200 of 300 deliveries created', { exact: true }).waitFor();
    await target.waitFor(1);
    const replayId = new URL(page.url()).searchParams.get('replay');
    const readReplay = async () => (await tenant.client.get(`/webhook-replays/${replayId}`)).body;
    // A running replay changes every second. The page does not see the last change before the
    // person cancels.
    const lateReads = await holdReads(page, '**/webhook-replays/*');
    const seen = await readReplay();
    await page.getByRole('button', { name: 'Cancel replay' }).click();
    const confirm = page.getByRole('dialog', { name: 'Cancel this replay' });
    await eventually('a change', async () => (await readReplay()).updated_at !== seen.updated_at);
    await confirm.getByRole('button', { name: 'Cancel replay' }).click();
    await confirm.waitFor({ state: 'detached' });
    lateReads.release();
    const drawer = page.getByRole('dialog');
    await drawer.getByText('Cancelled', { exact: true }).waitFor();
    answerAll();
    const statuses: string[] = await eventually('the end of the open deliveries', async () => {
      const { body } = await tenant.client.get(`/webhook-deliveries?replay_id=${replayId}&limit=200`);
      const found: string[] = body.data.items.map(({ status }: { status: string }) => status);
      return found.every((status) => /succeeded|cancelled/.test(status)) && found;
    });
    expect(statuses).to.have.lengthOf(200);
    const sent = target.requests.length;
    expect(sent, 'the deliveries on their way when the replay was cancelled').to.be.below(200);
    expect(statuses.filter((status) => status === 'succeeded').length).to.be.at.most(sent);
    await drawer.getByText('200 of 300 deliveries created', { exact: true }).waitFor();
    expect(await drawer.getByRole('button', { name: 'Cancel replay' }).count()).to.equal(0);
  });

  it('a failed delivery shows request and response, its link can be shared, and it can be cancelled', async () => {
    const { page, tenant, target, endpointId } = await openWithEndpoint();
    target.respond = () => ({ status: 500, body: 'The till is closed' });
    await tenant.client.post('/invoices', invoiceInput());
    const { id, event_id: eventId } = await waitForDelivery(tenant, endpointId, 'failed');
    await openScreen(page, `webhooks?view=deliveries&delivery=${id}`);
    const drawer = page.getByRole('dialog', { name: 'Delivery of invoice.created' });
    const first = drawer.getByRole('article').last();
    await first.getByText('HTTP 500').waitFor();
    await drawer.getByRole('article').first().getByText('The till is closed').waitFor();
    await drawer.getByText(`webhook-id: ${eventId}`).first().waitFor();
    await drawer.getByRole('button', { name: 'Copy as curl' }).first().waitFor();
    await drawer.getByRole('button', { name: 'Cancel delivery' }).click();
    const confirm = page.getByRole('dialog', { name: 'Cancel this delivery' });
    await confirm.getByRole('button', { name: 'Cancel delivery' }).click();
    await drawer.getByText('Cancelled').first().waitFor();
    // Wait until the dialog has gone. Until then, Escape would close the dialog instead of the
    // drawer.
    await confirm.waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).to.equal('?view=deliveries');
  });

  it('Verify accepts a delivery as its receiver got it, and explains a reformatted body, without a request', async () => {
    const { page, tenant, target, secret } = await openWithEndpoint();
    await tenant.client.post('/invoices', invoiceInput());
    const [request] = await target.waitFor(1);
    if (!request) throw new Error('No request arrived');
    await openScreen(page, 'webhooks?view=verify');
    const body = request.body.toString();
    for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature'])
      await page.getByLabel(name).fill(String(request.headers[name]));
    await page.getByLabel('Body').fill(body);
    await page.getByLabel('Secret', { exact: true }).fill(secret);
    const requests: string[] = [];
    page.on('request', (sent) => requests.push(sent.postData() ?? sent.url()));
    const result = page.getByRole('region', { name: 'Result' });
    await page.getByRole('button', { name: 'Verify' }).click();
    await result.getByText('A receiver accepts this delivery.').waitFor();
    await page.getByLabel('Body').fill(JSON.stringify(JSON.parse(body), null, 2));
    await page.getByRole('button', { name: 'Verify' }).click();
    await result.getByText(/parsed and written again/).waitFor();
    expect(requests.filter((text) => text.includes(secret) || text.includes('verify'))).to.deep.equal([]);
  });

  /** Opens the dashboard of an account that has one endpoint for all events of invoices. */
  async function openWithEndpoint() {
    const target = receiver.add();
    const opened: OpenDashboard = await dashboard.open();
    const { body } = await opened.tenant.client.post('/webhook-endpoints', {
      url: target.url,
      event_types: ['invoice.*'],
    });
    target.secrets = [body.secret];
    return { ...opened, target, endpointId: body.id as string, secret: body.secret as string };
  }

  function openScreen(page: Page, path: string) {
    return page.goto(`${dashboard.stack.origin}/app/${path}`);
  }
});

/** From now on, the page's GET requests to the address wait until `release` is called. */
async function holdReads(page: Page, address: string) {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(address, async (route) => {
    if (route.request().method() === 'GET') await released;
    await route.continue();
  });
  return { release };
}

/** Reads the secret that a dialog shows, and closes it. */
async function readSecret(dialog: Locator): Promise<string> {
  const secret = await dialog.getByText(/^whsec_/).textContent();
  await dialog.getByRole('button', { name: 'I stored it' }).click();
  return secret ?? '';
}

function waitForDelivery(tenant: TestTenant, endpointId: string, status: string) {
  return eventually(`a delivery that is ${status}`, async () => {
    const { body } = await tenant.client.get(
      `/webhook-deliveries?endpoint_id=${endpointId}&status=${status}`,
    );
    return body.data.items[0];
  });
}
