import { expect } from 'chai';
import type { Json } from '../../support/client.js';
import {
  assign,
  createDrivenJob,
  DROP_OFF,
  DriverClient,
  readDriverPath,
} from '../../support/public-pages/driven-job.js';
import { PROXIED_STACK, useStack, useTenant } from '../../support/use-stack.js';

describe("driver's page", () => {
  const stack = useStack();
  const tenant = useTenant(stack, 'Hudson Towing');

  async function startJob(input = {}) {
    const job = await createDrivenJob(tenant.client, input);
    return { ...job, page: new DriverClient(stack, job.path) };
  }
  const readWorkOrder = async (id: string) => (await tenant.client.get(`/work-orders/${id}`)).body;
  const listSteps = (id: string) =>
    stack.rows<{ step: string; at: Date; driver_id: string }>(
      tenant.id,
      'select step, at, driver_id from work_order_steps where tenant_id = $1 and work_order_id = $2 order by id',
      [tenant.id, id],
    );

  it("the driver's page shows the work order before its script runs, and forbids caching and other origins", async () => {
    const { page, number, id } = await startJob();
    const { status, text, headers } = await page.get('');
    expect(status).to.equal(200);
    for (const shown of [
      number,
      'Honda Accord',
      '12 Main St',
      DROP_OFF,
      'Gate code 4411',
      'tel:+12125550199',
    ])
      expect(text).to.include(shown);
    expect(text).to.match(/href="https:\/\/www\.google\.com\/maps\/dir\//);
    expect(text, 'last name of the customer').to.not.include('Whitfield');
    expect(text).to.not.include(id).and.to.not.include(tenant.id);
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy)
      .to.include("default-src 'none'")
      .and.to.include("connect-src 'self'")
      .and.to.not.include('unsafe');
    expect(headers.get('cache-control')).to.equal('no-store');
    expect(headers.get('referrer-policy')).to.equal('no-referrer');
    expect(headers.get('x-robots-tag')).to.include('noindex');
    expect(headers.get('set-cookie')).to.equal(null);
  });

  it("pickup and drop-off of the driver's page open the map at their coordinates, or else at their addresses", async () => {
    const findPlaces = async (input: object) => {
      const { page } = await startJob(input);
      const { facts } = (await page.get()).body.data.state;
      const places = facts.filter(({ label }: Json) => label === 'Pickup' || label === 'Drop-off');
      return places.map(({ text, href }: Json) => [text, new URL(href).searchParams.get('destination')]);
    };
    const [from, to] = [
      { lat: 40.5, lng: -74 },
      { lat: 41, lng: -73.25 },
    ];
    expect(await findPlaces({ pickup: from, dropoff: to })).to.deep.equal([
      ['12 Main St, New York', '40.5,-74'],
      [DROP_OFF, '41,-73.25'],
    ]);
    expect(await findPlaces({ dropoff: { lat: 41 } })).to.deep.equal([
      ['12 Main St, New York', '12 Main St, New York'],
      [DROP_OFF, DROP_OFF],
    ]);
    expect((await findPlaces({ dropoff_location: null, dropoff: to }))[1]).to.deep.equal([
      '41,-73.25',
      '41,-73.25',
    ]);
  });

  it('a text of a work order cannot become HTML or end the script element of the page', async () => {
    const attack = `</script><img src=x onerror=alert(1)>"'&`;
    const { page } = await startJob({ notes: attack, contact_name: attack, pickup_location: attack });
    const { text } = await page.get('');
    expect(text).to.not.include('<img');
    expect(text.match(/<\/script>/g)).to.have.length(2);
    expect((await page.get()).body.data.state.facts.at(-1).text).to.equal(attack);
  });

  it('the steps of a whole tow start the work order, are logged with their times and end the link', async () => {
    const { page, id, driverId } = await startJob();
    const at = new Date().toISOString();
    const steps = ['acknowledged', 'en_route', 'on_scene', 'hooked', 'towing', 'at_destination'];
    for (const [index, step] of steps.entries()) {
      const { status, body, text } = await page.act({ kind: 'step', step, at });
      expect(status, text).to.equal(200);
      expect(body.data.state.taken).to.equal(index + 1);
      expect((await readWorkOrder(id)).status).to.equal(index === 0 ? 'dispatched' : 'in_progress');
    }
    const { body } = await page.act({ kind: 'complete', miles: 12.5, at });
    expect(body.data.state).to.equal(null);
    expect(await readWorkOrder(id)).to.include({ status: 'completed', miles: 12.5, completion_time: at });
    const logged = await listSteps(id);
    expect(logged.map(({ step }) => step)).to.deep.equal([...steps, 'cleared']);
    for (const step of logged) expect(step).to.deep.include({ driver_id: driverId, at: new Date(at) });
    expect((await page.get()).status).to.equal(404);
    expect((await page.get('')).status).to.equal(404);
  });

  it("an ended driver's link gets the page with its script and nothing of the work order, a mistyped link gets no script", async () => {
    const { page, number, id, path } = await startJob();
    const open = await page.get('');
    await tenant.client.post(`/work-orders/${id}/cancel`, { reason: 'customer' });
    const ended = await page.get('');
    expect(ended.status).to.equal(404);
    expect(ended.text).to.include('This link has ended').and.to.include('{"has_ended":true}');
    for (const part of [number, 'Hudson Towing', 'Gate code 4411', 'Sam Rivera'])
      expect(ended.text).to.not.include(part);
    for (const name of ['content-security-policy', 'cache-control', 'referrer-policy', 'x-robots-tag'])
      expect(ended.headers.get(name), name).to.equal(open.headers.get(name));
    const mistyped = await new DriverClient(stack, path.slice(0, -1)).get('');
    expect(mistyped.status).to.equal(404);
    expect(mistyped.text).to.include('This link has ended').and.to.not.include('<script');
  });

  it("the driver's page of a work order without a drop-off leaves out the steps of a tow", async () => {
    const listPlanned = async (input: object) => {
      const { page } = await startJob({ service_type: 'lockout', dropoff_location: null, ...input });
      return (await page.get()).body.data.state.steps.map(({ id }: Json) => id);
    };
    expect(await listPlanned({})).to.deep.equal(['acknowledged', 'en_route', 'on_scene', 'complete']);
    // Coordinates alone are a drop-off too.
    expect(await listPlanned({ dropoff: { lat: 41, lng: -73 } })).to.include.members(['hooked', 'towing']);
  });

  it("an action of the driver's page that is sent twice, even at once, acts once", async () => {
    const { page, id } = await startJob();
    const step = { id: crypto.randomUUID(), at: new Date().toISOString(), kind: 'step', step: 'en_route' };
    const responses = await Promise.all([page.act(step), page.act(step), page.act(step)]);
    for (const { status } of responses) expect(status).to.be.oneOf([200, 409]);
    expect((await page.act(step)).status).to.equal(200);
    expect(await listSteps(id)).to.have.length(1);
    const note = { id: crypto.randomUUID(), at: step.at, kind: 'note', text: 'Keys are in the box' };
    for (let times = 0; times < 2; times += 1) expect((await page.act(note)).status).to.equal(200);
    expect((await readWorkOrder(id)).notes.match(/Keys are in the box/g)).to.have.length(1);
  });

  it("concurrent notes from the driver's page are all added after the dispatcher's notes, with time and name", async () => {
    const { page, id } = await startJob();
    const texts = ['First', 'Second', 'Third'];
    const sent = await Promise.all(texts.map((text) => page.act({ kind: 'note', text })));
    for (const { status, text } of sent) expect(status, text).to.equal(200);
    const { notes } = await readWorkOrder(id);
    expect(notes).to.match(/^Gate code 4411\n/);
    for (const text of texts)
      expect(notes).to.match(new RegExp(`\\[\\d+:\\d\\d [AP]M \\S+, Sam Rivera\\] ${text}`));
  });

  it("an inspection from the driver's page with a fatal defect is filed for the truck, warns the driver and blocks dispatch", async () => {
    const { page, id, truckId, driverId } = await startJob();
    const items = [{ key: 'winch', label: 'Winch and cable', state: 'fail', note: 'Frayed' }];
    const defects = [{ component: 'Winch and cable', severity: 'out_of_service' }];
    const { body } = await page.act({ kind: 'inspection', items, defects, odometer_miles: 120_400 });
    expect(body.data.state.warning).to.match(/out of service/);
    expect(body.data.state.inspection.result).to.equal('out_of_service');
    const { items: filed } = (await tenant.client.get(`/inspections?work_order_id=${id}`)).body.data;
    expect(filed).to.have.length(1);
    expect(filed[0]).to.include({
      kind: 'pre_trip',
      truck_id: truckId,
      driver_id: driverId,
      odometer_miles: 120_400,
    });
    const other = (await tenant.client.post('/work-orders', { service_type: 'tow' })).body;
    const refused = await tenant.client.post(`/work-orders/${other.id}/assign`, { truck_id: truckId });
    expect(refused.status).to.equal(409);
  });

  it("the audit log shows actions of the driver's page as the driver's, with the address of the phone and without the link", async () => {
    const { page, id, driverId, path } = await startJob();
    await page.act({ kind: 'step', step: 'en_route' });
    const { items } = (await tenant.client.get(`/audit-log?entity_id=${id}&actor=${driverId}`)).body.data;
    const actions = items.map(({ action }: { action: string }) => action);
    // Newest first. The step comes before the start, because it shows where the truck is.
    expect(actions).to.deep.equal(['work_order.started', 'work_order.step_logged']);
    expect(items[0].actor).to.deep.equal({
      type: 'system',
      id: driverId,
      name: "Sam Rivera (driver's page)",
    });
    expect(items[0].source).to.equal('webhook');
    const all = await stack.rows<{ text: string }>(
      tenant.id,
      'select json_agg(a)::text as text from audit_entries a where tenant_id = $1',
      [tenant.id],
    );
    expect(all[0]?.text).to.not.include(path.slice('/d/'.length));
  });

  it("a request to the driver's page from another site, without the header, or with a wrong body changes nothing", async () => {
    const { page, id, path } = await startJob();
    const foreign = new DriverClient(stack, path, { Origin: 'https://evil.example.com' });
    expect((await foreign.act({ kind: 'step', step: 'en_route' })).status).to.equal(403);
    const bare = new DriverClient(stack, path, { 'X-Requested-With': '' });
    expect((await bare.act({ kind: 'step', step: 'en_route' })).status).to.equal(403);
    for (const wrong of [
      { kind: 'cancel' },
      { kind: 'step', step: 'teleport' },
      { kind: 'step', step: 'en_route', id: 'x' },
      { kind: 'note', text: '' },
      { kind: 'complete', miles: -1 },
      { kind: 'inspection', items: [{ key: 'a', state: 'broken' }] },
    ]) {
      const { status, body } = await page.act(wrong);
      expect(status, JSON.stringify(wrong)).to.equal(400);
      expect(body.error.code).to.equal('validation_error');
    }
    expect((await page.request('/actions', { method: 'GET' })).status).to.equal(405);
    expect(await listSteps(id)).to.have.length(0);
  });

  it('a step from a phone whose clock is ahead is logged with the present time', async () => {
    const { page, id } = await startJob();
    const ahead = new Date(Date.now() + 86_400_000).toISOString();
    await page.act({ kind: 'step', step: 'en_route', at: ahead });
    const [step] = await listSteps(id);
    expect(step?.at.getTime()).to.be.below(Date.now() + 60_000);
  });

  it('a step with a time before the assignment is logged with the time of the assignment, because prices depend on it', async () => {
    const { page, id } = await startJob();
    const { dispatch_time: assignedAt } = await readWorkOrder(id);
    await page.act({ kind: 'complete', at: '1970-01-01T00:00:00Z' });
    expect(await readWorkOrder(id)).to.include({ status: 'completed', completion_time: assignedAt });
  });

  it("requests with the ended link of an earlier driver use up nothing of the next driver's limit", async () => {
    const { page, id, truckId } = await startJob();
    await tenant.client.post(`/work-orders/${id}/unassign`, {});
    await assign(tenant.client, id, truckId);
    const next = new DriverClient(stack, await readDriverPath(tenant.client, id));
    const lost = await Promise.all(Array.from({ length: 125 }, async () => (await page.get()).status));
    expect(new Set(lost)).to.deep.equal(new Set([404, 429]));
    expect((await next.get()).status).to.equal(200);
  });

  it('the audit log names the truck as the actor if a truck without a driver reports a step', async () => {
    const { id, truckId } = await startJob();
    await tenant.client.post(`/work-orders/${id}/unassign`, {});
    await assign(tenant.client, id, truckId, { driver_id: null });
    const { body } = await tenant.client.get(`/work-orders/${id}`);
    await new DriverClient(stack, new URL(body.driver_url).pathname).act({ kind: 'step', step: 'en_route' });
    const { items } = (await tenant.client.get(`/audit-log?entity_id=${id}&actor=${truckId}`)).body.data;
    expect(items).to.have.length(2);
  });
});

describe("limits of the driver's page", () => {
  const stack = useStack(PROXIED_STACK);
  const tenant = useTenant(stack, 'Hudson Towing');

  it("the driver's page answers 429 to more than 120 requests a minute for one work order, and other work orders stay open", async () => {
    const { path } = await createDrivenJob(tenant.client);
    const page = new DriverClient(stack, path, { 'X-Forwarded-For': '198.51.100.31' });
    const statuses = await Promise.all(Array.from({ length: 130 }, async () => (await page.get()).status));
    expect(statuses.filter((status) => status === 429)).to.have.length(10);
    const refused = await page.get();
    expect(refused.body.error.code).to.equal('rate_limited');
    expect(Number(refused.headers.get('retry-after'))).to.be.above(0);
    expect((await page.get('')).text, 'the page itself').to.include('Too many requests');
    const other = await createDrivenJob(tenant.client);
    const { status } = await new DriverClient(stack, other.path, {
      'X-Forwarded-For': '198.51.100.31',
    }).get();
    expect(status).to.equal(200);
  });
});
