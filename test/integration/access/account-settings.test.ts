import { expect } from 'chai';
import { expectError, listValidationErrors } from '../../support/expect-error.js';
import { invoiceInput, lineItem } from '../../support/records/samples.js';
import { useStack, useTenant } from '../../support/use-stack.js';

/**
 * Time zones that Node accepts. PostgreSQL refuses the names up to `AET`, and reads the names from
 * `ACT` on as different time zones.
 */
const NOT_IN_POSTGRES = [
  'SST',
  'CAT',
  'AGT',
  'BET',
  'CNT',
  'CTT',
  'ECT',
  'IET',
  'MIT',
  'NET',
  'PLT',
  'PNT',
  'PRT',
  'VST',
  'AET',
  'ACT',
  'ART',
  'AST',
  'BST',
  'CST',
  'EAT',
  'IST',
  'JST',
  'NST',
  'PST',
];

describe('account settings', () => {
  const stack = useStack();
  const tenant = useTenant(stack);

  it('PATCH /settings merges changes, and later invoices are priced with them', async () => {
    const { client } = tenant;
    const before = await client.get('/settings');
    expect(before.body).to.include({
      time_zone: 'America/New_York',
      grace_days: 0,
      terms_days: 30,
      agent_gate_cents: null,
      agent_day_cents: null,
    });
    const ifMatch = { headers: { 'If-Match': before.headers.etag as string } };
    const changed = await client.patch(
      '/settings',
      { tax_rate_bps: 1_000, agent_gate_cents: 100_000, agent_day_cents: 500_000 },
      ifMatch,
    );
    expect(changed.body).to.include({ tax_rate_bps: 1_000, agent_gate_cents: 100_000, terms_days: 30 });
    expect(changed.body).to.include({ agent_day_cents: 500_000 });
    expectError(await client.patch('/settings', { grace_days: 3 }, ifMatch), 412, 'precondition_failed');
    expect((await client.get('/settings')).body).to.deep.equal(changed.body);
    const { body: invoice } = await client.post(
      '/invoices',
      invoiceInput({ line_items: [lineItem({ taxable: true })] }),
    );
    expect(invoice.tax_cents).to.equal(1_000);
    expect(
      (await tenant.sandbox.get('/settings')).body.tax_rate_bps,
      'the sandbox has separate settings',
    ).to.equal(0);
  });

  it('PATCH /settings names every validation error and refuses unknown time zones', async () => {
    const refused = await tenant.client.patch('/settings', {
      time_zone: '+02:00',
      tax_rate_bps: 10_001,
      grace_days: -1,
    });
    expectError(refused, 400, 'validation_error');
    expect(listValidationErrors(refused)).to.have.length(3);
    expect((await tenant.client.patch('/settings', { time_zone: 'Europe/Berlin' })).body.time_zone).to.equal(
      'Europe/Berlin',
    );
    expectError(
      await tenant.client.patch('/settings', { time_zone: 'Mars/Olympus' }),
      400,
      'validation_error',
    );
  });

  it('PATCH /settings refuses a time zone that Node knows and PostgreSQL does not, also in a dry run', async () => {
    const { client } = await stack.createTenant();
    for (const time_zone of NOT_IN_POSTGRES) {
      const refused = await client.patch('/settings', { time_zone });
      expectError(refused, 400, 'validation_error');
      expect(listValidationErrors(refused), time_zone).to.deep.equal(['time_zone timeZone']);
    }
    const dryRun = await client.patch(
      '/settings',
      { time_zone: 'SST' },
      { headers: { 'x-service-dry-run': 'true' } },
    );
    expectError(dryRun, 400, 'validation_error');
    expect((await client.get('/settings')).body.time_zone).to.equal('America/New_York');
    expect((await client.patch('/settings', { time_zone: 'europe/berlin' })).status).to.equal(200);
  });
});
