import { expect } from 'chai';
import { AGENT_SCOPES } from '../../../shared/contracts/vocabulary.js';
import { purgeExpired } from '../../../shared/operations/store.js';
import { newId } from '../../../shared/platform/ids.js';
import { expectError, listValidationErrors } from '../../support/expect-error.js';
import { readHourIn, ScheduleAccount } from '../../support/exports/export-schedules.js';
import { scheduleInput, UNKNOWN_ID } from '../../support/records/samples.js';
import { useStack } from '../../support/use-stack.js';

const DRY = { headers: { 'X-Service-Dry-Run': 'true' } };
const NEW_YORK = 'America/New_York';

describe('export schedules', () => {
  const stack = useStack();

  const openAccount = async () => {
    const { id, client, sandbox } = await stack.createTenant();
    return Object.assign(new ScheduleAccount(stack, id, client), { sandbox });
  };

  it('POST /export-schedules sets defaults and a next time, and reads return the same record', async () => {
    const account = await openAccount();
    const response = await account.client.post('/export-schedules', scheduleInput());
    expect(response.status, response.text).to.equal(201);
    const { body } = response;
    expect(response.headers.location).to.equal(`/v1/export-schedules/${body.id}`);
    expect(body).to.deep.include({
      resource: 'invoices',
      format: 'csv',
      filters: {},
      include: [],
      compression: 'gzip',
      bom: false,
      decimals: false,
      cadence: 'daily',
      hour: 4,
      weekday: null,
      day: null,
      period: 'all',
      enabled: true,
      last_run_at: null,
      last_export_id: null,
    });
    expect(readHourIn(NEW_YORK, body.next_run_at)).to.equal(4);
    expect(Date.parse(body.next_run_at)).to.be.within(Date.now(), Date.now() + 25 * 3_600_000);
    expect(await account.read(body.id)).to.deep.equal(body);
    const weekly = await account.create({ cadence: 'weekly' });
    const monthly = await account.create({ cadence: 'monthly' });
    expect([weekly.weekday, weekly.day, monthly.weekday, monthly.day]).to.deep.equal([
      'monday',
      null,
      null,
      1,
    ]);
    const listIds = async (query = '') =>
      (await account.client.get(`/export-schedules${query}`)).body.data.items.map(
        ({ id }: { id: string }) => id,
      );
    expect(await listIds()).to.deep.equal([monthly.id, weekly.id, body.id]);
    const page = await account.client.get('/export-schedules?limit=2');
    expect(await listIds(`?limit=2&cursor=${page.body.data.cursor}`)).to.deep.equal([body.id]);
  });

  const invalidBodies: [string, object, string[]][] = [
    ['missing fields', {}, ['cadence required', 'format required', 'resource required']],
    [
      'invalid values in every field',
      scheduleInput({ cadence: 'hourly', hour: 24, weekday: 'Mon', day: 0, period: 'next', enabled: 1 }),
      ['cadence only', 'day min', 'enabled base', 'hour max', 'period only', 'weekday only'],
    ],
    [
      'a weekday and a day for a daily cadence',
      scheduleInput({ weekday: 'monday', day: 1 }),
      ['day not_applicable', 'weekday not_applicable'],
    ],
    [
      'filters of another list, and a CSV option for JSON',
      scheduleInput({ format: 'json', bom: true, filters: { kind: 'pre_trip' } }),
      ['bom not_applicable', 'filters.kind unknown'],
    ],
    [
      'since and until together with a period',
      scheduleInput({ period: 'previous', filters: { since: '2026-01-01', until: '2026-02-01' } }),
      ['filters.since not_applicable', 'filters.until not_applicable'],
    ],
    [
      'a period for customers, which have no date field',
      scheduleInput({ resource: 'customers', period: 'previous' }),
      ['period not_applicable'],
    ],
    [
      'a period for a dump',
      scheduleInput({ resource: 'all', format: 'dump', period: 'previous' }),
      ['period not_applicable'],
    ],
  ];
  for (const [title, body, expected] of invalidBodies) {
    it(`POST /export-schedules with ${title} is 400 and lists every problem`, async () => {
      const { client } = await openAccount();
      expect(listValidationErrors(await client.post('/export-schedules', body))).to.deep.equal(expected);
    });
  }

  it('PATCH /export-schedules/{id} keeps absent fields and validates the resulting schedule', async () => {
    const account = await openAccount();
    const created = await account.create({
      filters: { status: 'paid' },
      cadence: 'weekly',
      weekday: 'friday',
    });
    const path = `/export-schedules/${created.id}`;
    expect(await account.patch(created.id, {})).to.deep.equal(created);
    expect(await account.patch(created.id, { filters: { status: 'paid' }, hour: 4 })).to.deep.equal(created);
    const monthly = await account.patch(created.id, { cadence: 'monthly', day: 31, format: 'ndjson' });
    expect(monthly).to.deep.include({ cadence: 'monthly', weekday: null, day: 31, format: 'ndjson' });
    expect(monthly.filters).to.deep.equal({ status: 'paid' });
    expect(monthly.next_run_at).to.not.equal(created.next_run_at);
    expect(monthly.updated_at > created.updated_at).to.equal(true);
    const invalidPatches: [object, string[]][] = [
      [{ resource: 'customers' }, ['filters.status unknown']],
      [{ weekday: 'monday' }, ['weekday not_applicable']],
      [{ bom: true }, ['bom not_applicable']],
      [{ cadence: null, hour: '4' }, ['cadence only', 'hour base']],
    ];
    for (const [patch, expected] of invalidPatches)
      expect(
        listValidationErrors(await account.client.patch(path, patch)).sort(),
        JSON.stringify(patch),
      ).to.include.members(expected);
    expect(await account.read(created.id)).to.deep.equal(monthly);
    const [, , changed] = (await account.readAuditEntries(created.id)).reverse();
    expect(changed.changes).to.deep.equal([]);
  });

  it('a disabled export schedule has no next time, and gets a new one when enabled', async () => {
    const account = await openAccount();
    const { id } = await account.create({ enabled: false });
    expect((await account.read(id)).next_run_at).to.equal(null);
    const enabled = await account.patch(id, { enabled: true });
    expect(Date.parse(enabled.next_run_at)).to.be.above(Date.now());
    await account.makeDue(id);
    expect((await account.patch(id, { enabled: false })).next_run_at).to.equal(null);
    expect(Date.parse((await account.patch(id, { enabled: true })).next_run_at)).to.be.above(Date.now());
  });

  it('a new hour moves the next time of an export schedule unless it is already due', async () => {
    const account = await openAccount();
    const { id, next_run_at: before } = await account.create();
    const moved = await account.patch(id, { hour: 5 });
    expect(readHourIn(NEW_YORK, moved.next_run_at)).to.equal(5);
    expect(moved.next_run_at).to.not.equal(before);
    const due = await account.makeDue(id);
    expect((await account.patch(id, { hour: 6 })).next_run_at).to.equal(due.next_run_at);
  });

  it('a new time zone of the account moves its export schedules unless they are already due', async () => {
    const account = await openAccount();
    const otherAccount = await openAccount();
    const [later, due, off] = [
      await account.create(),
      await account.create(),
      await account.create({ enabled: false }),
    ];
    const otherSchedule = await otherAccount.create();
    const { next_run_at } = await account.makeDue(due.id);
    expect((await account.client.patch('/settings', { grace_days: 1 })).status).to.equal(200);
    expect(await account.read(later.id)).to.deep.equal(later);
    await account.client.patch('/settings', { time_zone: 'Asia/Tokyo' });
    const moved = await account.read(later.id);
    expect(readHourIn('Asia/Tokyo', moved.next_run_at)).to.equal(4);
    expect(moved.updated_at > later.updated_at).to.equal(true);
    expect((await account.read(due.id)).next_run_at).to.equal(next_run_at);
    expect((await account.read(off.id)).next_run_at).to.equal(null);
    expect(await otherAccount.read(otherSchedule.id)).to.deep.equal(otherSchedule);
  });

  it('a dry run stores no export schedule, and an Idempotency-Key creates only one', async () => {
    const { client } = await openAccount();
    const dry = await client.post('/export-schedules', scheduleInput({ colour: 'red' }), DRY);
    expect(dry.status, dry.text).to.equal(200);
    expect(dry.body.data).to.include({ cadence: 'daily', hour: 4 });
    expect(JSON.stringify(dry.body.warnings)).to.include('colour');
    const headers = { 'Idempotency-Key': newId() };
    const first = await client.post('/export-schedules', scheduleInput(), { headers });
    const again = await client.post('/export-schedules', scheduleInput(), { headers });
    expect([first.status, again.status]).to.deep.equal([201, 201]);
    expect(again.headers['x-idempotency-replay']).to.equal('true');
    expect(again.text).to.equal(first.text);
    expect((await client.get('/export-schedules')).body.data.count).to.equal(1);
    const patched = await client.patch(`/export-schedules/${first.body.id}`, { hour: 9 }, DRY);
    expect(patched.body.data.hour).to.equal(9);
    expect((await client.get(`/export-schedules/${first.body.id}`)).body.hour).to.equal(4);
  });

  it('an account has at most 20 export schedules, and a deleted one is 404', async () => {
    const account = await openAccount();
    const responses = await Promise.all(
      Array.from({ length: 22 }, () => account.client.post('/export-schedules', scheduleInput())),
    );
    expect(responses.map(({ status }) => status).sort()).to.deep.equal([...Array(20).fill(201), 409, 409]);
    const refused = responses.find(({ status }) => status === 409);
    expect(refused?.body.error).to.include({ code: 'conflict' });
    const { id } = responses.find(({ status }) => status === 201)?.body ?? {};
    const headers = { 'Idempotency-Key': newId() };
    const deleted = await account.client.delete(`/export-schedules/${id}`, { headers });
    expect(deleted.status, deleted.text).to.equal(200);
    expect(deleted.body).to.include({ id, enabled: false, next_run_at: null });
    expect((await account.client.delete(`/export-schedules/${id}`, { headers })).text).to.equal(deleted.text);
    for (const method of ['GET', 'PATCH', 'DELETE'])
      expectError(await account.client.call(method, `/export-schedules/${id}`), 404, 'not_found');
    expect((await account.client.get('/export-schedules')).body.data.count).to.equal(19);
    await account.create();
  });

  it('the purge removes a deleted export schedule after a day', async () => {
    const account = await openAccount();
    const [kept, { id }] = [await account.create(), await account.create()];
    await account.client.delete(`/export-schedules/${id}`);
    const rows = () =>
      stack.rows<{ id: string }>(account.tenantId, 'select id from export_schedules order by id');
    const purge = () => stack.runtime.db.transaction([account.tenantId], (tx) => purgeExpired(tx, 100));
    await purge();
    expect(await rows()).to.have.length(2);
    await stack.rows(
      account.tenantId,
      "update export_schedules set deleted_at = deleted_at - interval '25 hours'",
    );
    await purge();
    expect(await rows()).to.deep.equal([{ id: kept.id }]);
  });

  it('export schedules belong to one account or sandbox, need the permission admin and refuse agents', async () => {
    const account = await openAccount();
    const otherAccount = await openAccount();
    const { id } = await account.create();
    const key = await stack.createKey(account.tenantId, { permissions: ['read', 'write', 'approve'] });
    const agentKey = await stack.createKey(account.tenantId, { kind: 'agent', scopes: [...AGENT_SCOPES] });
    const calls = [
      ['GET', '/export-schedules'],
      ['POST', '/export-schedules'],
      ['GET', `/export-schedules/${id}`],
      ['PATCH', `/export-schedules/${id}`],
      ['DELETE', `/export-schedules/${id}`],
    ] as const;
    for (const [method, path] of calls) {
      const body = method === 'POST' ? { body: scheduleInput() } : method === 'PATCH' ? { body: {} } : {};
      expectError(await stack.createClient(key).call(method, path, body), 403, 'insufficient_scope');
      expectError(await stack.createClient(agentKey).call(method, path, body), 403, 'forbidden');
      for (const client of [account.sandbox, otherAccount.client])
        if (path.endsWith(id)) expectError(await client.call(method, path, body), 404, 'not_found');
    }
    for (const client of [account.sandbox, otherAccount.client])
      expect((await client.get('/export-schedules')).body.data.count).to.equal(0);
    expectError(await account.client.get(`/export-schedules/${UNKNOWN_ID}`), 404, 'not_found');
    expect((await account.read(id)).enabled).to.equal(true);
  });
});
