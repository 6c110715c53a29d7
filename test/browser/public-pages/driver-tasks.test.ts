import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import type { BrowserContext, Page } from 'playwright-core';
import sharp from 'sharp';
import { findViolationsInBothSchemes } from '../../support/browser/axe.js';
import { waitInPage } from '../../support/browser/wait-in-page.js';
import { PROJECT } from '../../support/load/processes.js';
import { eventually } from '../../support/poll.js';
import { createDrivenJob, type DrivenJob } from '../../support/public-pages/driven-job.js';
import { useDriverPhones } from '../../support/public-pages/driver-phone.js';
import { useStack, useTenant } from '../../support/use-stack.js';

const MAX_BYTES = 60 * 1024;
const STEPS = [
  'Accept',
  'I am on my way',
  'I am at the vehicle',
  'The vehicle is loaded',
  'I am towing',
  'I am at the drop-off',
];

/** Code that the page runs. Counts the jobs and the actions in its IndexedDB. */
const COUNT_STORED = `new Promise((resolve) => {
  const opening = indexedDB.open('driver-page');
  opening.onsuccess = async () => {
    const count = (name) =>
      new Promise((counted) => {
        const request = opening.result.transaction(name).objectStore(name).count();
        request.onsuccess = () => counted(request.result);
      });
    resolve((await count('jobs')) + (await count('actions')));
    opening.result.close();
  };
})`;

/** Code that runs before the page: the phone has a network, and no request is answered. */
const NETWORK_WITHOUT_ANSWERS = `
  Object.defineProperty(navigator, 'onLine', { get: () => true });
  window.fetch = () => new Promise(() => {});`;

describe("the driver's page in a browser", () => {
  const stack = useStack();
  const tenant = useTenant(stack, 'Hudson Towing');
  const { openPhone, openPage } = useDriverPhones(stack);

  /** Opens the page of a new work order on a phone. */
  async function openJob() {
    const job = await createDrivenJob(tenant.client);
    const context = await openPhone();
    return { job, context, page: await openPage(context, job) };
  }

  /** Books a work order whose truck stands at the pickup. */
  async function createJobAtPickup() {
    const place = { lat: 40.7128, lng: -74.006 };
    const job = await createDrivenJob(tenant.client, { pickup: { address: '12 Main St', ...place } });
    const locate = (speed_mph: number, { lat, lng } = place) =>
      tenant.client.patch(`/trucks/${job.truckId}`, { location: { lat, lng, speed_mph } });
    await locate(0);
    return { job, locate };
  }

  const cancel = (job: DrivenJob) =>
    tenant.client.post(`/work-orders/${job.id}/cancel`, { reason: 'customer' });
  const readWorkOrder = async (id: string) => (await tenant.client.get(`/work-orders/${id}`)).body;
  const listSteps = async (id: string) =>
    (
      await stack.rows<{ step: string }>(
        tenant.id,
        'select step from work_order_steps where tenant_id = $1 and work_order_id = $2 order by id',
        [tenant.id, id],
      )
    ).map(({ step }) => step);
  const findProposal = (page: Page) => page.getByText('You seem to be at the pickup.', { exact: true });
  const findButton = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const tap = (page: Page, name: string) => findButton(page, name).tap();
  const waitForStatus = (page: Page, text: string) => page.getByRole('status').getByText(text).waitFor();
  const waitForEnd = (page: Page) => page.getByRole('heading', { name: 'This job has ended' }).waitFor();
  async function acceptOffline(context: BrowserContext, page: Page): Promise<void> {
    await context.setOffline(true);
    await tap(page, 'Accept');
    await waitForStatus(page, 'No network. 1 waiting to be sent');
  }
  const drawJpeg = (red: number) =>
    sharp({ create: { width: 2400, height: 1200, channels: 3, background: { r: red, g: 9, b: 99 } } })
      .jpeg()
      .toBuffer();
  const choosePhoto = async (page: Page, red: number) =>
    page
      .getByLabel('Add photos')
      .setInputFiles({ name: 'a.jpg', mimeType: 'image/jpeg', buffer: await drawJpeg(red) });
  /**
   * Waits until the service worker controls the page. From then on, the page opens without a
   * network.
   */
  const waitForWorker = (page: Page) =>
    waitInPage(
      page,
      "caches.match('/d/shell').then((kept) => kept !== undefined && navigator.serviceWorker.controller !== null)",
    );
  /** Counts the entries about work orders that the phone stores. */
  const countStored = (page: Page) => page.evaluate<number>(COUNT_STORED);

  it('a driver does a whole tow with one thumb at 360 px, and nothing of it stays on the phone', async () => {
    const { job, page } = await openJob();
    await page.getByRole('heading', { level: 1, name: job.number }).waitFor();
    for (const step of STEPS) {
      const button = findButton(page, step);
      await button.waitFor();
      const box = await button.boundingBox();
      expect(box?.height, step).to.be.at.least(48);
      expect((box?.y ?? 0) + (box?.height ?? 0), `${step} is within reach`).to.be.at.most(640);
      await button.tap();
    }
    await page.getByLabel('Note').fill('Keys are in the box');
    await tap(page, 'Add note');
    await choosePhoto(page, 1);
    await page.getByText('1 of 50 photos sent').waitFor();
    await tap(page, 'Complete');
    await page.getByLabel('Loaded miles (optional)').fill('12.5');
    expect(await page.evaluate('document.documentElement.scrollWidth')).to.equal(360);
    await tap(page, 'Yes, complete the job');
    await waitForEnd(page);
    expect(await readWorkOrder(job.id)).to.deep.include({ status: 'completed', miles: 12.5 });
    expect((await readWorkOrder(job.id)).notes).to.include('Sam Rivera] Keys are in the box');
    expect(await countStored(page)).to.equal(0);
  });

  it('the page says that the truck seems to be at the pickup, for the step that is next and while it is true', async () => {
    const { job, locate } = await createJobAtPickup();
    const context = await openPhone();
    const page = await openPage(context, job);
    const proposal = findProposal(page);
    await tap(page, 'Accept');
    await findButton(page, 'I am on my way').waitFor();
    expect(await proposal.isVisible()).to.equal(false);
    await tap(page, 'I am on my way');
    await proposal.waitFor();
    await context.setOffline(true);
    await proposal.waitFor({ state: 'hidden' });
    await context.setOffline(false);
    await proposal.waitFor();
    await context.setOffline(true);
    await locate(30);
    await context.setOffline(false);
    await waitForStatus(page, 'Everything is sent');
    await proposal.waitFor({ state: 'hidden' });
    await locate(0);
    await page.reload();
    await proposal.waitFor();
    await tap(page, 'I am at the vehicle');
    await findButton(page, 'The vehicle is loaded').waitFor();
    expect(await proposal.isVisible()).to.equal(false);
    await eventually('the steps are logged', async () => (await listSteps(job.id)).length === 3);
    expect(await listSteps(job.id)).to.deep.equal(['acknowledged', 'en_route', 'on_scene']);
  });

  it('the page says that the truck seems to be at the drop-off, above the button for it', async () => {
    const { job, locate } = await createJobAtPickup();
    const dropoff = { address: '9 Canal St', lat: 40.8128, lng: -74.006 };
    await tenant.client.patch(`/work-orders/${job.id}`, { dropoff });
    await tenant.client.post(`/work-orders/${job.id}/steps`, { step: 'hooked' });
    await locate(0, dropoff);
    const page = await openPage(await openPhone(), job);
    await tap(page, 'I am towing');
    await page.getByText('You seem to be at the drop-off.', { exact: true }).waitFor();
    await findButton(page, 'I am at the drop-off').waitFor();
  });

  it('a phone that opens the page from its storage does not say that the truck is still at the pickup', async () => {
    const { job } = await createJobAtPickup();
    const context = await openPhone();
    const page = await openPage(context, job);
    await tap(page, 'Accept');
    await tap(page, 'I am on my way');
    await findProposal(page).waitFor();
    await waitForWorker(page);
    await page.close();
    await context.addInitScript(NETWORK_WITHOUT_ANSWERS);
    await context.setOffline(true);
    const opened = await openPage(context, job);
    await findButton(opened, 'I am at the vehicle').waitFor();
    expect(await findProposal(opened).isVisible()).to.equal(false);
  });

  it('a driver files an inspection with a defect, and is warned', async () => {
    const { job, page } = await openJob();
    await page.getByText('Not done in this shift').tap();
    await tap(page, 'Save inspection');
    await page.getByRole('alert').getByText('Say whether Brakes is fine.').waitFor();
    await tap(page, 'All fine');
    const winch = page.getByRole('group', { name: 'Winch and cable' });
    await winch.getByLabel('Defect').check();
    await winch.getByLabel('Severity: Winch and cable').selectOption('out_of_service');
    await tap(page, 'Save inspection');
    await page.getByText(/is out of service because of a defect/).waitFor();
    const { items } = (await tenant.client.get(`/inspections?work_order_id=${job.id}`)).body.data;
    expect(items[0]).to.include({ kind: 'pre_trip', result: 'out_of_service' });
    expect(items[0].items).to.have.length(8);
  });

  it('two steps, a note and a photo without a network survive a reload, and are sent once and in sequence', async () => {
    const { job, context, page } = await openJob();
    await waitForWorker(page);
    await context.setOffline(true);
    await tap(page, 'Accept');
    await tap(page, 'I am on my way');
    await page.getByLabel('Note').fill('No signal here');
    await tap(page, 'Add note');
    await choosePhoto(page, 2);
    await waitForStatus(page, 'No network. 4 waiting to be sent');
    const takenAt = Date.now();
    await page.reload();
    await waitForStatus(page, 'No network. 4 waiting to be sent');
    await page.getByRole('heading', { level: 1, name: job.number }).waitFor();
    await findButton(page, 'I am at the vehicle').waitFor();
    expect(await listSteps(job.id)).to.deep.equal([]);
    await context.setOffline(false);
    await waitForStatus(page, 'Everything is sent');
    expect(await listSteps(job.id)).to.deep.equal(['acknowledged', 'en_route']);
    expect((await readWorkOrder(job.id)).notes.match(/No signal here/g)).to.have.length(1);
    const { items } = (await tenant.client.get(`/work-orders/${job.id}/photos`)).body.data;
    expect(items).to.have.length(1);
    expect(Date.parse(items[0].taken_at)).to.be.at.most(takenAt);
  });

  it('a step whose response is lost is sent again and acts once', async () => {
    const { job, page } = await openJob();
    let lost = 0;
    await page.route('**/actions', async (route) => {
      if (lost > 0) return route.continue();
      lost += 1;
      await route.fetch();
      return route.abort();
    });
    await tap(page, 'Accept');
    await findButton(page, 'I am on my way').waitFor();
    await waitForStatus(page, 'Everything is sent');
    expect(lost).to.equal(1);
    expect(await listSteps(job.id)).to.deep.equal(['acknowledged']);
  });

  it('two open tabs send each step once, and both show it', async () => {
    const { job, context, page: first } = await openJob();
    const second = await openPage(context, job);
    await context.setOffline(true);
    await tap(first, 'Accept');
    await tap(second, 'I am on my way');
    await context.setOffline(false);
    for (const page of [first, second]) {
      await waitForStatus(page, 'Everything is sent');
      await findButton(page, 'I am at the vehicle').waitFor();
    }
    expect(await listSteps(job.id)).to.deep.equal(['acknowledged', 'en_route']);
  });

  it('a refused action is shown with its reason, does not block the next one, and can be removed', async () => {
    const { job, page } = await openJob();
    await tenant.client.patch(`/work-orders/${job.id}`, { notes: 'x'.repeat(4990) });
    await page.getByLabel('Note').fill('There is no room for this');
    await tap(page, 'Add note');
    const refusal = page.getByRole('region', { name: 'Note not sent' });
    await refusal.getByText('The notes of this job are full.').waitFor();
    await tap(page, 'Accept');
    await eventually('the step is logged', async () => (await listSteps(job.id)).length === 1);
    await refusal.getByRole('button', { name: 'Remove' }).tap();
    await refusal.waitFor({ state: 'detached' });
  });

  it('a work order that is cancelled while the phone has no network ends on the phone, with what was lost', async () => {
    const { job, context, page } = await openJob();
    await acceptOffline(context, page);
    await cancel(job);
    await context.setOffline(false);
    await waitForEnd(page);
    await page.getByText('1 entry was not sent. Call your dispatcher.').waitFor();
    expect(await countStored(page)).to.equal(0);
  });

  it('an ended link that is opened again shows what was not sent, and nothing stays on the phone', async () => {
    const { job, context, page } = await openJob();
    await waitForWorker(page);
    await acceptOffline(context, page);
    await page.close();
    await cancel(job);
    await context.setOffline(false);
    const again = await openPage(context, job);
    await again.getByText('1 entry was not sent. Call your dispatcher.').waitFor();
    expect(await countStored(again)).to.equal(0);
    await again.reload();
    await waitForEnd(again);
    await again.getByText('Nothing about the job is left on this phone.').waitFor();
    expect(await countStored(again)).to.equal(0);
  });

  it('the state is read again soon after a failed read, also if the network came back during that read', async () => {
    const { job, page } = await openJob();
    await waitForStatus(page, 'Everything is sent');
    let tries = 0;
    await page.route('**/state', async (route) => {
      tries += 1;
      if (tries > 1) return route.continue();
      // The network comes back while the first read is failing.
      await page.evaluate("dispatchEvent(new Event('online'))");
      return route.abort();
    });
    await tenant.client.patch(`/work-orders/${job.id}`, { notes: 'Use the back gate' });
    await page.evaluate("dispatchEvent(new Event('online'))");
    await page.getByText('Use the back gate').waitFor();
    await waitForStatus(page, 'Everything is sent');
  });

  it("axe finds nothing on the driver's page, light and dark", async () => {
    const { job, page } = await openJob();
    await page.getByText('Not done in this shift').tap();
    await tap(page, 'All fine');
    await page.getByRole('group', { name: 'Brakes' }).getByLabel('Defect').check();
    for (const step of STEPS) await tap(page, step);
    await tap(page, 'Complete');
    expect(await findViolationsInBothSchemes(page)).to.deep.equal([]);
    await tap(page, 'Not yet');
    await cancel(job);
    await page.reload();
    await waitForEnd(page);
    expect(await findViolationsInBothSchemes(page), 'the page of an ended link').to.deep.equal([]);
  });

  it("the files of the driver's page take at most 60 KiB", async () => {
    const folder = join(PROJECT, 'dist', 'driver-page');
    const names = (await readdir(folder, { recursive: true })).filter((name) =>
      /[.](js|css|html)$/.test(name),
    );
    expect(names).to.have.length(4);
    const sizes = await Promise.all(
      names.map(async (name) => gzipSync(await readFile(join(folder, name))).length),
    );
    expect(sizes.reduce((sum, size) => sum + size, 0)).to.be.below(MAX_BYTES);
  });
});
