import { expect } from 'chai';
import { findQuietEnd } from '../../../../shared/resources/planned-messages/text-limits.js';
import { eventually } from '../../../support/poll.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { type PhoningAccount, usePhoningStack } from '../../../support/vendors/phoning.js';

const ZONE = 'America/New_York';
const HOUR_MS = 3_600_000;
const NIGHT = { from: '21:00', to: '08:00' };

describe('quiet hours of texts', () => {
  requireContracts();
  const phoning = usePhoningStack();
  let account: PhoningAccount;
  let nextPhone = 5_185_560_100;

  before(async () => {
    account = await phoning.createAccount();
    await account.stack.rows(account.tenant.id, 'update tenants set time_zone = $2 where tenant_id = $1', [
      account.tenant.id,
      ZONE,
    ]);
    for (const key of ['assigned', 'completed', 'driver_link'])
      await account.client.patch(`/message-templates/${key}`, { enabled: true });
  });

  /** Returns the time of day in the account's time zone in `hours` hours, such as 21:30. */
  const clockIn = (hours: number) =>
    new Date(Date.now() + hours * HOUR_MS).toLocaleTimeString('en-GB', {
      timeZone: ZONE,
      hour: '2-digit',
      minute: '2-digit',
    });
  const beQuiet = () => account.change({ quiet_hours: { from: clockIn(-2), to: clockIn(2) } });
  const beLoud = () => account.change({ quiet_hours: { from: clockIn(2), to: clockIn(4) } });

  async function startJob() {
    const phone = `+1${nextPhone++}`;
    const driverPhone = `+1${nextPhone++}`;
    const truck = await account.client.post('/trucks', { unit_number: phone, duty_class: 'light' });
    const driver = await account.client.post('/drivers', { name: 'Bo', phone: driverPhone });
    const job = await account.client.post('/work-orders', { service_type: 'tow', contact_phone: phone });
    const path = `/work-orders/${job.body.id}`;
    await account.client.post(`${path}/assign`, { truck_id: truck.body.id, driver_id: driver.body.id });
    return { id: job.body.id as string, path, phone, driverPhone };
  }

  const findText = async (jobId: string, template: string) => {
    const { body } = await account.client.get(`/messages?work_order_id=${jobId}`);
    return body.data.items.find((message: { template: string }) => message.template === template);
  };
  const waitUntilHeld = (jobId: string, template: string) =>
    eventually('the text waits', async () => {
      const message = await findText(jobId, template);
      return message?.error ? message : undefined;
    });

  it('a text about a job waits until the quiet hours end, and then leaves once', async () => {
    await beQuiet();
    const { id, phone } = await startJob();
    const held = await waitUntilHeld(id, 'assigned');
    expect(held).to.include({ state: 'queued', attempts: 0 });
    expect(held.error).to.match(/quiet until \d\d:\d\d \(America\/New_York\)/);
    const waitMs = Date.parse(held.next_attempt_at) - Date.now();
    expect(waitMs).to.be.within(2 * HOUR_MS - 90_000, 2 * HOUR_MS);
    const operations = (await account.client.get(`/connections/${account.connectionId}/operations`)).body;
    const operation = operations.data.items.find(
      ({ record_id }: { record_id: string }) => record_id === held.id,
    );
    expect(operation).to.include({ state: 'due', attempts: 0 });
    await account.hurry();
    expect(phoning.double.findTexts(phone)).to.be.empty;
    // New settings apply at once, even to texts that already wait.
    await beLoud();
    expect(await account.waitForState(held.id, 'sent')).to.include({ error: null, attempts: 1 });
    expect(phoning.double.findTexts(phone)).to.have.length(1);
  });

  it('a text to the driver, a text that a person writes and an answer to HELP leave at night', async () => {
    await beQuiet();
    const { id, phone, driverPhone } = await startJob();
    await eventually('the driver has the link', () => phoning.double.findTexts(driverPhone).length > 0);
    await account.client.post('/messages', { work_order_id: id, text: 'I am at the gate.' });
    await eventually('the words left', () => phoning.double.findTexts(phone).length > 0);
    expect(phoning.double.findTexts(phone)[0]?.body).to.equal('I am at the gate.');
    await account.receive('+15185569901', 'HELP');
    await eventually('HELP is answered', () => phoning.double.findTexts('+15185569901').length > 0);
  });

  it('a text with an invoice waits, and its invoice stays queued', async () => {
    await beQuiet();
    const { id, phone } = await account.sendText();
    const held = await eventually('the text waits', async () => {
      const message = await account.readMessage(id);
      return message.error ? message : undefined;
    });
    expect(held.state).to.equal('queued');
    expect(held.segments).to.be.greaterThan(0);
    expect(phoning.double.findTexts(phone)).to.be.empty;
    await beLoud();
    await account.waitForState(id, 'sent');
    expect(phoning.double.findTexts(phone)).to.have.length(1);
  });

  it('a text about a moment that has passed by the morning is not sent', async () => {
    await beQuiet();
    const { id, path, phone } = await startJob();
    await waitUntilHeld(id, 'assigned');
    await account.client.post(`${path}/start`, {});
    await account.client.post(`${path}/complete`, {});
    await waitUntilHeld(id, 'completed');
    await beLoud();
    await eventually('the end of the job is texted', () =>
      phoning.double.findTexts(phone).some(({ body }) => /your tow is done/.test(body)),
    );
    const passed = await account.waitForState((await findText(id, 'assigned')).id, 'failed');
    expect(passed.error).to.equal('The job went on before this text left.');
    expect(phoning.double.findTexts(phone)).to.have.length(1);
  });

  it('hours that are no times of day, or of no length, are refused by name', async () => {
    const settings = { from_number: '+15185550100', quiet_hours: { from: '8:00', to: '24:00' } };
    const path = `/connections/${account.connectionId}`;
    const wrong = await account.client.patch(path, { settings });
    expect(wrong.status).to.equal(400);
    expect(wrong.body.error.details.map(({ field }: { field: string }) => field)).to.have.members([
      'settings.quiet_hours.from',
      'settings.quiet_hours.to',
    ]);
    const empty = await account.client.patch(path, {
      settings: { ...settings, quiet_hours: { from: '08:00', to: '08:00' } },
    });
    expect(empty.status).to.equal(400);
    expect(empty.body.error.details[0].message).to.match(/must differ/);
  });

  it('quiet hours end by the wall clock, also in the nights in which the clock changes', async () => {
    const quietUntil = async (at: string, hours = NIGHT) => {
      const { db } = account.stack.runtime;
      const end = await db.transaction([account.tenant.id], (tx) =>
        findQuietEnd(tx, account.tenant.id, hours, new Date(at)),
      );
      return end && new Date(Date.parse(at) + end.seconds * 1000).toISOString();
    };
    // An ordinary night: 21:00 EST is 02:00 UTC, and 08:00 EST is 13:00 UTC.
    expect(await quietUntil('2026-12-01T01:59:59Z')).to.equal(undefined);
    expect(await quietUntil('2026-12-01T02:00:00Z')).to.equal('2026-12-01T13:00:00.000Z');
    expect(await quietUntil('2026-12-01T12:59:59Z')).to.equal('2026-12-01T13:00:00.000Z');
    expect(await quietUntil('2026-12-01T13:00:00Z')).to.equal(undefined);
    // On 2026-03-08, 02:00 EST became 03:00 EDT, so the quiet hours last ten hours.
    expect(await quietUntil('2026-03-08T02:00:00Z')).to.equal('2026-03-08T12:00:00.000Z');
    expect(await quietUntil('2026-03-08T11:59:59Z')).to.equal('2026-03-08T12:00:00.000Z');
    expect(await quietUntil('2026-03-08T12:00:00Z')).to.equal(undefined);
    // On 2026-11-01, 02:00 EDT became 01:00 EST, so the quiet hours last twelve hours.
    expect(await quietUntil('2026-11-01T01:00:00Z')).to.equal('2026-11-01T13:00:00.000Z');
    expect(await quietUntil('2026-11-01T12:59:59Z')).to.equal('2026-11-01T13:00:00.000Z');
    // Quiet hours may lie within one day, such as a rest at noon.
    const noon = { from: '12:00', to: '13:30' };
    expect(await quietUntil('2026-12-01T17:30:00Z', noon)).to.equal('2026-12-01T18:30:00.000Z');
    expect(await quietUntil('2026-12-01T19:00:00Z', noon)).to.equal(undefined);
  });
});
