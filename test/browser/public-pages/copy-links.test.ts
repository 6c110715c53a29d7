import { expect } from 'chai';
import { useDashboard } from '../../support/browser/dashboard.js';
import { waitInPage } from '../../support/browser/wait-in-page.js';
import { createDrivenJob, DriverClient } from '../../support/public-pages/driven-job.js';
import { createRedPng } from '../../support/records/pictures.js';
import { createUser } from '../../support/records/sign-in.js';

describe('links and photos of a work order in the dashboard', () => {
  const dashboard = useDashboard();

  it("a dispatcher copies the driver's link and the tracking link, and sees the driver's photo", async () => {
    const { page, context, tenant } = await dashboard.open();
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const { id, number, path } = await createDrivenJob(tenant.client);
    await page.goto(`${dashboard.stack.origin}/app/work-orders/${id}`);
    const drawer = page.getByRole('dialog', { name: `Work order ${number}` });
    await drawer.getByRole('button', { name: "Copy driver's link" }).click();
    await drawer.getByText('Copied').waitFor();
    const driver = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(new URL(driver).pathname).to.equal(path);
    await drawer.getByRole('button', { name: 'Copy tracking link' }).click();
    await waitInPage(page, "navigator.clipboard.readText().then((text) => text.includes('/t/'))");
    await drawer.getByRole('tab', { name: 'Photos' }).click();
    await drawer.getByText('There is no photo yet.').waitFor();
    const sent = await new DriverClient(dashboard.stack, path).addPhoto(createRedPng(), {
      type: 'image/png',
    });
    expect(sent.status, sent.text).to.equal(200);
    await page.reload();
    const picture = drawer.getByRole('img', { name: /^Photo of / });
    await picture.waitFor();
    await waitInPage(page, '[...document.images].some(({ naturalWidth }) => naturalWidth === 40)');
    await drawer.getByText("Sam Rivera (driver's page)").waitFor();
  });

  it('a person who may not dispatch sees no links', async () => {
    const { page, tenant } = await dashboard.open();
    const user = await createUser(dashboard.stack, tenant.id, { role: 'viewer' });
    const { id, number } = await createDrivenJob(tenant.client);
    const viewer = await dashboard.open(`work-orders/${id}`, { tenant, user });
    const drawer = viewer.page.getByRole('dialog', { name: `Work order ${number}` });
    await drawer.getByRole('tab', { name: 'Photos' }).waitFor();
    expect(await drawer.getByRole('button', { name: /^Copy/ }).count()).to.equal(0);
    await page.close();
  });
});
