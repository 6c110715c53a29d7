import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { useDashboard } from '../support/browser/dashboard.js';
import { eventually } from '../support/poll.js';
import type { TestTenant } from '../support/stack.js';
import { useOwnStack, useStack } from '../support/use-stack.js';

/** A picture of one blue pixel, which stands for every tile. */
const TILE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** A street as GeoJSON. The map's web worker cuts it into vector tiles. */
const STREETS = {
  type: 'LineString',
  coordinates: [
    [-74.2, 40.7],
    [-74.0, 40.8],
  ],
};

/** A server of map tiles on another origin of this machine. */
class TileDouble {
  readonly paths: string[] = [];
  /** The status of the responses to requests for tiles. */
  tileStatus = 200;
  styleStatus = 200;
  readonly #server: Server = createServer((request, response) => this.#serve(request, response));

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  start(): Promise<void> {
    return new Promise((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? '';
    this.paths.push(path);
    const isStyle = path.startsWith('/style.json');
    response.setHeader('Access-Control-Allow-Origin', '*');
    response.statusCode = isStyle ? this.styleStatus : this.tileStatus;
    if (response.statusCode !== 200) response.end();
    else if (isStyle) response.end(JSON.stringify(this.#buildStyle()));
    else response.end(path === '/streets.json' ? JSON.stringify(STREETS) : TILE);
  }

  #buildStyle(): object {
    const tiles = [`${this.origin}/tiles/{z}/{x}/{y}.png`];
    const attribution = '&copy; <a href="https://example.com">Test Maps</a>';
    return {
      version: 8,
      sources: {
        tiles: { type: 'raster', tiles, tileSize: 256, attribution },
        streets: { type: 'geojson', data: `${this.origin}/streets.json` },
      },
      layers: [
        { id: 'tiles', type: 'raster', source: 'tiles' },
        { id: 'streets', type: 'line', source: 'streets' },
      ],
    };
  }
}

/** Creates two trucks and a pickup. The trucks differ in latitude and in longitude. */
async function createFleet({ client }: TestTenant): Promise<{ orderId: string; number: string }> {
  const at = new Date().toISOString();
  for (const [unit_number, lat, lng] of [
    ['1', 40.7, -74.0],
    ['2', 40.8, -74.2],
  ] as const) {
    const truck = { unit_number, duty_class: 'light', status: 'available', location: { lat, lng, at } };
    const response = await client.post('/trucks', truck);
    expect(response.status, response.text).to.equal(201);
  }
  const { body } = await client.post('/work-orders', {
    service_type: 'tow',
    pickup: { address: '12 Main St', lat: 40.75, lng: -74.1 },
  });
  return { orderId: body.id, number: body.job_number };
}

const findMap = (page: Page) => page.getByRole('region', { name: /^Map of/ });
const findPlan = (page: Page) =>
  page.getByRole('img', { name: 'Plan of 2 trucks and 1 waiting pickups, north up' });

describe('the map with streets on the screen Dispatch', () => {
  const double = new TileDouble();
  const stack = useOwnStack(async () => {
    await double.start();
    return { environment: { MAP_STYLE_URL: `${double.origin}/style.json` } };
  });
  const dashboard = useDashboard(stack);
  after(() => double.stop());
  beforeEach(() => {
    double.paths.length = 0;
    double.tileStatus = 200;
    double.styleStatus = 200;
  });

  async function openDispatch(path = 'dispatch') {
    const tenant = await stack.createTenant('Hudson Towing');
    const fleet = await createFleet(tenant);
    const { page } = await dashboard.open(path, { tenant, otherOrigin: double.origin });
    return { page, ...fleet };
  }

  it('the policy of the page and of its worker adds the origin of the style, and nothing else', async () => {
    const policyOf = async (path: string) =>
      (await fetch(`${stack.origin}/app/${path}`)).headers.get('content-security-policy') ?? '';
    const policy = (await policyOf('dispatch')).replace(/'nonce-[^']+'/, '');
    expect(policy).to.include(`connect-src 'self' ${double.origin};`);
    expect(policy).to.include(`img-src 'self' blob: ${double.origin};`);
    expect(policy.split(double.origin)).to.have.length(3);
    expect(await policyOf('icon.svg')).to.equal(`default-src 'none'; connect-src 'self' ${double.origin}`);
  });

  it('the plan comes first; streets are loaded when a person chooses them, and the link keeps them', async () => {
    const { page } = await openDispatch();
    await findPlan(page).waitFor();
    const scripts: string[] = [];
    page.on('request', (request) => scripts.push(request.url()));
    expect(double.paths).to.deep.equal([]);
    await page.getByLabel('Streets').check();
    await findMap(page).waitFor();
    await page.getByText('© Test Maps').waitFor();
    expect(double.paths.some((path) => path.startsWith('/tiles/'))).to.equal(true);
    expect(double.paths).to.include('/streets.json');
    expect(page.workers().map((worker) => new URL(worker.url()).pathname)).to.not.have.length(0);
    expect(scripts.some((url) => url.includes('/street-map-'))).to.equal(true);
    expect(new URL(page.url()).searchParams.get('map')).to.equal('streets');
    await page.getByLabel('Streets').uncheck();
    await findPlan(page).waitFor();
  });

  it('trucks and pickups are markers with names at their places, and a pickup opens its work order', async () => {
    const { page, orderId, number } = await openDispatch('dispatch?map=streets');
    await page.getByText('© Test Maps').waitFor();
    const placeOf = async (name: string) => {
      const box = await page.locator(`[aria-label="${name}"]`).boundingBox();
      return { x: (box?.x ?? 0) + (box?.width ?? 0) / 2, y: (box?.y ?? 0) + (box?.height ?? 0) / 2 };
    };
    const [one, two] = [await placeOf('Truck 1, available'), await placeOf('Truck 2, available')];
    const pickup = await placeOf(`${number}, waiting, 12 Main St`);
    expect(two.x, 'Truck 2 is west of Truck 1').to.be.below(one.x - 20);
    expect(two.y, 'Truck 2 is north of Truck 1').to.be.below(one.y - 20);
    expect(pickup.x, 'the pickup is half way').to.be.closeTo((one.x + two.x) / 2, 3);
    expect(pickup.y).to.be.closeTo((one.y + two.y) / 2, 3);
    await page.getByRole('link', { name: `${number}, waiting, 12 Main St` }).click();
    await page.getByRole('dialog', { name: number }).waitFor();
    expect(new URL(page.url()).pathname).to.equal(`/app/dispatch/${orderId}`);
  });

  for (const [what, fail] of [
    ['its style', () => (double.styleStatus = 500)],
    ['its tiles', () => (double.tileStatus = 500)],
  ] as const)
    it(`the plan stands in for a map that cannot read ${what}, and a person may try again`, async () => {
      fail();
      const { page } = await openDispatch('dispatch?map=streets');
      await page.getByRole('status').getByText('The map with streets cannot be shown').waitFor();
      await findPlan(page).waitFor();
      expect(double.paths).to.not.have.length(0);
      double.styleStatus = 200;
      double.tileStatus = 200;
      await page.getByLabel('Streets').uncheck();
      await page.getByLabel('Streets').check();
      await page.getByText('© Test Maps').waitFor();
    });

  it('the plan stands in for a map in a browser without WebGL', async () => {
    const { page } = await openDispatch();
    await page.getByLabel('Streets').waitFor();
    await page.evaluate(`{
      const { getContext } = HTMLCanvasElement.prototype;
      HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
        return kind.startsWith('webgl') ? null : getContext.call(this, kind, ...rest);
      };
    }`);
    await page.getByLabel('Streets').check();
    await page.getByRole('status').getByText('The map with streets cannot be shown').waitFor();
    await findPlan(page).waitFor();
  });
});

describe('the screen Dispatch of a service without a map style', () => {
  const stack = useStack();
  const dashboard = useDashboard(stack);

  it('offers no streets even by a link, loads no map, and its policy names no other host', async () => {
    const tenant = await stack.createTenant('Hudson Towing');
    await createFleet(tenant);
    const { page } = await dashboard.open(undefined, { tenant });
    const scripts: string[] = [];
    page.on('request', (request) => scripts.push(request.url()));
    const response = await page.goto(`${stack.origin}/app/dispatch?map=streets`);
    await findPlan(page).waitFor();
    await eventually('the style was asked for', () => scripts.some((url) => url.endsWith('/v1/map-style')));
    await page.getByText('Connected').waitFor();
    expect(await page.getByLabel('Streets').count()).to.equal(0);
    expect(scripts.filter((url) => /street-map|maplibre/.test(url))).to.deep.equal([]);
    const policy = response?.headers()['content-security-policy'] ?? '';
    expect(policy).to.include("connect-src 'self';").and.include("img-src 'self' blob:;");
    expect((await tenant.client.get('/map-style')).body).to.deep.equal({ style_url: null });
  });
});
