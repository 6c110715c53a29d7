import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect } from 'chai';
import { eventually } from '../../support/poll.js';

/** Returns a port of loopback that is free. */
async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Runs `test/support/vendors/run-double.ts` until it has written its hints, or has ended. */
async function runDouble(...args: string[]) {
  const child = spawn(process.execPath, ['--import', 'tsx', 'test/support/vendors/run-double.ts', ...args]);
  let output = '';
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const written = new Promise<void>((resolve) => {
    const listen = (chunk: Buffer) => {
      output += chunk.toString('utf8');
      if (output.includes('Control page')) resolve();
    };
    child.stdout.on('data', listen);
    child.stderr.on('data', listen);
  });
  await Promise.race([written, ended]);
  return {
    output,
    stop: () => {
      child.kill('SIGTERM');
      return ended;
    },
  };
}

describe('the doubles of vendors for people', () => {
  for (const [vendor, hint] of [
    ['stripe', /sk_test_demo/],
    ['twilio', /AC0{32}.*inbound_urls/s],
    ['samsara', /samsara_api_demo.*ZGVtby1zZWNyZXQ=/s],
    ['motive', /motive-demo.*motive-demo-webhooks/s],
  ] as const)
    it(`the double of ${vendor} prints what to enter, serves its page, and ends on SIGTERM`, async () => {
      const port = await findFreePort();
      const double = await runDouble(vendor, '--port', `${port}`);
      const origin = `http://127.0.0.1:${port}`;
      expect(double.output).to.contain(`INTEGRATIONS='{"${vendor}":{"base_url":"${origin}"}}' npm start`);
      expect(double.output).to.match(hint);
      const page = await fetch(`${origin}/double/`);
      expect([page.status, await page.text()].join(' ')).to.match(/^200 .*No account yet/s);
      expect(await double.stop()).to.equal(0);
    });

  it('the double of xero prints its application, signs a person in, and ends on SIGTERM', async () => {
    const port = await findFreePort();
    const double = await runDouble('xero', '--port', `${port}`);
    const origin = `http://127.0.0.1:${port}`;
    const [, setting = '{}'] = /INTEGRATIONS='(.*)' npm start/.exec(double.output) ?? [];
    const { xero } = JSON.parse(setting) as { xero: Record<string, string> };
    expect(xero).to.include({ base_url: origin, webhook_secret: 'xero-webhooks' });
    expect(await (await fetch(`${origin}/double/`)).text()).to.contain('Xero double');
    const asked = new URLSearchParams({
      client_id: String(xero.client_id),
      scope: 'offline_access accounting.invoices',
      redirect_uri: 'http://127.0.0.1:3000/integrations/callback',
      state: 'state-1',
    });
    const address = `${origin}/identity/connect/authorize?${asked}`;
    const body = new URLSearchParams({ organisation: '' });
    const { status, headers } = await fetch(address, { method: 'POST', body, redirect: 'manual' });
    expect(status).to.equal(303);
    expect(headers.get('location')).to.match(/callback\?code=[\w-]+&state=state-1$/);
    expect(await double.stop()).to.equal(0);
  });

  it('the double of roadsync opens a company, and a person pays its invoice at the control page', async () => {
    const port = await findFreePort();
    const double = await runDouble('roadsync', '--port', `${port}`);
    const origin = `http://127.0.0.1:${port}`;
    expect(double.output).to.match(/roadsync-demo-key.*demo-company.*demo-company-1/s);
    const headers = { 'x-api-key': 'roadsync-demo-key', 'content-type': 'application/json' };
    const body = JSON.stringify({
      companyId: 'demo-company',
      locationId: 'demo-company-1',
      name: 'Geico <Roadside>',
      phone: '5185550100',
      lineItems: [{ description: 'Tow', amount: 150 }],
    });
    const created = await fetch(`${origin}/v1/invoice`, { method: 'POST', headers, body });
    const { data } = (await created.json()) as { data: { id: string } };
    const page = await (await fetch(`${origin}/double/`)).text();
    expect(page)
      .to.contain('$150.00')
      .and.contain('Geico &#60;Roadside&#62;')
      .and.contain('value="Pay half"');
    const action = { company: 'demo-company', invoice: data.id, action: 'Pay half' };
    await fetch(`${origin}/double/`, { method: 'POST', body: new URLSearchParams(action) });
    const read = await fetch(`${origin}/v1/invoice/${data.id}`, { headers });
    const { data: paid } = (await read.json()) as { data: object };
    expect(paid).to.include({ status: 'completed', grandTotal: 75 });
    expect(await double.stop()).to.equal(0);
  });

  for (const [vendor, path, headers] of [
    [
      'samsara',
      '/fleet/vehicles/stats/feed?types=gps',
      { authorization: 'Bearer any', 'x-samsara-version': '2025-06-11' },
    ],
    ['motive', '/v1/vehicle_locations', { 'x-api-key': 'any', 'x-metric-units': 'false' }],
  ] as const)
    it(`the three vehicles of the double of ${vendor} drive`, async () => {
      const port = await findFreePort();
      const double = await runDouble(vendor, '--port', `${port}`);
      const readPlaces = async () => {
        const text = await (await fetch(`http://127.0.0.1:${port}${path}`, { headers })).text();
        return [...text.matchAll(/"lat(?:itude)?":([\d.]+)/g)].map(([, lat]) => lat);
      };
      const first = await readPlaces();
      expect(first).to.have.length(3);
      await eventually('each has moved', async () =>
        (await readPlaces()).every((lat, index) => lat !== first[index]),
      );
      expect(await double.stop()).to.equal(0);
    });

  it('a double whose port is taken says so, and how to choose another', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const double = await runDouble('roadsync', '--port', `${port}`);
    expect(double.output).to.equal(`Another program uses port ${port}. Choose a port with --port.\n`);
    expect(await double.stop()).to.equal(1);
    server.close();
  });

  it('a vendor without a double is refused, with the names of the vendors that have one', async () => {
    const double = await runDouble('fax');
    expect(double.output).to.match(/no double of "fax".*stripe, twilio/);
    expect(await double.stop()).to.equal(2);
  });
});
