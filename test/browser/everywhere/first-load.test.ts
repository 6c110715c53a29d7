/** Measures what a browser without a cache loads of the dashboard, charts included. */
import { expect } from 'chai';
import { useDashboard } from '../../support/browser/dashboard.js';
import { createInvoiceAfter } from '../../support/records/lifecycle-records.js';

const KIB = 1024;
const MAX = { scripts: 175 * KIB, styles: 20 * KIB, requests: 8 };

/** The page itself, then each resource that it has loaded, with its bytes in transfer. */
const READ_LOADED = `[
  ...performance.getEntriesByType('navigation'),
  ...performance.getEntriesByType('resource'),
].map(({ name, encodedBodySize }) => ({ path: new URL(name).pathname, bytes: encodedBodySize }))`;

describe('the first load of the dashboard in a browser', () => {
  const dashboard = useDashboard();

  it(`Overview with its charts takes at most 175 KiB of scripts, 20 KiB of styles and ${MAX.requests} requests of files`, async () => {
    const tenant = await dashboard.stack.createTenant('Hudson Towing');
    await tenant.client.post('/work-orders', { service_type: 'tow' });
    await createInvoiceAfter(tenant.client, ['approve', 'send']);
    const { page } = await dashboard.open('', { tenant });
    // The library of the charts comes last.
    await page
      .getByRole('img', { name: /^Money/ })
      .locator('canvas')
      .waitFor();
    await page.waitForTimeout(1000);
    const loaded = await page.evaluate<{ path: string; bytes: number }[]>(READ_LOADED);
    const files = loaded.filter(({ path }) => !path.startsWith('/v1/'));
    const sum = (ending: string) =>
      files.reduce((total, { path, bytes }) => total + (path.endsWith(ending) ? bytes : 0), 0);
    const [scripts, styles] = [sum('.js'), sum('.css')];
    // Chromium without a window does not load the icon.
    const requests = files.length + 1;
    process.stdout.write(
      `    first load: ${(scripts / KIB).toFixed(1)} KiB of scripts, ${(styles / KIB).toFixed(1)} KiB of styles, ` +
        `${requests} requests of files, ${loaded.length - files.length} of the API\n`,
    );
    expect(files.filter(({ bytes }) => bytes === 0)).to.deep.equal([]);
    expect(scripts, 'bytes of scripts').to.be.within(1, MAX.scripts);
    expect(styles, 'bytes of styles').to.be.within(1, MAX.styles);
    expect(requests, files.map(({ path }) => path).join(' ')).to.be.at.most(MAX.requests);
  });
});
