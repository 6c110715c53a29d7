import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { buildCopyQuery } from '../../../workers/exports/files/copy-queries.js';
import { listFileSources } from '../../../workers/exports/files/sources.js';
import { buildExportRequest } from '../../support/exports/export-files.js';

/**
 * Spreadsheets and imports rely on these columns. A column may be added at the end of a file; no
 * column may be moved, renamed or removed.
 */
const PROMISED: Record<string, string> = {
  invoices: `id invoice_number status customer_id billing_email po_number due_date service_date subtotal_cents tax_cents total_cents paid_cents balance_due_cents
    work_order_id vehicle_description notes sent_at delivery_state delivery_reason delivery_viewed_at created_at updated_at customer_name job_number effective_due_date recurring_invoice_id`,
  invoice_line_items:
    'invoice_id id position name description category quantity unit_type unit_price_cents total_cents taxable invoice_number',
  payments:
    'id invoice_id amount_cents method received_at reference refunded_cents credit_cents created_at updated_at invoice_number customer_name',
  refunds: 'id payment_id invoice_id amount_cents reason created_at invoice_number customer_name',
  customers: `id company_name company_type billing_email primary_phone address city state zip is_active terms_days tax_exempt tax_rate_bps rate_card_id balance_cents
    overdue_cents credit_cents created_at updated_at`,
  work_orders: `id job_number status billing_status service_type customer_id pickup_location dropoff_location dispatch_time completion_time vin notes customer_notes
    billing_email contact_name contact_phone pickup_address pickup_lat pickup_lng vehicle_make vehicle_model vehicle_year unit_number truck_id driver_id step eta miles
    cancel_reason cancel_note created_at updated_at customer_name`,
  inspections: `id kind truck_id driver_id work_order_id vehicle_vin vehicle_plate vehicle_make vehicle_model vehicle_year odometer_miles items defects photos result
    notes submitted_at created_at updated_at job_number`,
  inspection_items: 'inspection_id position key label state note',
  inspection_defects: 'inspection_id position id component severity resolved_at resolved_by',
  inspection_photos: 'inspection_id position slot phase url taken_at',
  trucks: `id unit_number duty_class status driver_id vin plate make model year location_lat location_lng location_heading location_speed_mph location_at
    location_stale current_work_order_id created_at updated_at`,
  drivers: 'id name phone duty_classes status created_at updated_at',
  rate_cards: `id name version effective_from effective_until superseded_by is_default after_hours_window_start after_hours_window_end after_hours_window_weekends
    items created_at`,
  rate_card_items: `rate_card_id rate_card_name rate_card_version position name service_type category unit_type unit_price_cents included_quantity minimum_cents
    after_hours taxable`,
  impounds: `id status work_order_id customer_id vehicle_vin vehicle_plate vehicle_make vehicle_model vehicle_year vehicle_color lot spot hold_reason impounded_at
    released_at release_kind released_to daily_rate_cents free_days days accrued_days storage_cents invoiced_days unbilled_days notes created_at updated_at
    job_number customer_name`,
  claims: `id invoice_id club provider_id po_number status status_reason attempt submitted_at submit_by respond_by denial_code denial_reason expected_cents paid_cents
    evidence created_at updated_at invoice_number`,
  messages: `id invoice_id channel recipient subject state provider error attempts next_attempt_at sent_at link_expires_at link_revoked_at created_at updated_at
    invoice_number`,
  sync_issues:
    'id connection_id kind status operation_id record_kind record_id message ours theirs resolution note decided_by decided_at created_at updated_at',
  sync_runs: 'id connection_id stream state changes dropped error started_at ended_at',
};

describe('CSV export columns', () => {
  const request = buildExportRequest('01920000-0000-7000-8000-000000000001', { resource: 'all' });
  const sources = listFileSources(request);

  it('an export of all resources has exactly these CSV files', () => {
    expect(sources.map(({ name }) => name)).to.deep.equal(Object.keys(PROMISED));
  });

  it('docs/exports/README.md lists the columns of every CSV file', () => {
    const text = readFileSync('docs/exports/README.md', 'utf8');
    for (const source of sources) {
      const row = `| \`${source.name}.csv\` | ${buildCopyQuery(request, source).header.join(', ')} |`;
      expect(text).to.include(row);
    }
  });

  it('files with the id of a customer, an invoice or a work order also have its name or number', () => {
    const NAME_COLUMNS = {
      customer_id: 'customer_name',
      invoice_id: 'invoice_number',
      work_order_id: 'job_number',
    };
    for (const source of sources) {
      const { header } = buildCopyQuery(request, source);
      for (const [id, name] of Object.entries(NAME_COLUMNS))
        if (header.includes(id)) expect(header, source.name).to.include(name);
    }
  });

  for (const source of sources) {
    it(`${source.name}.csv keeps its promised columns, and decimals follow their cents`, () => {
      const promised = (PROMISED[source.name] ?? '').split(/\s+/);
      const { header } = buildCopyQuery(request, source);
      expect(header.slice(0, promised.length)).to.deep.equal(promised);
      expect(new Set(header).size, 'column names are unique').to.equal(header.length);
      const withDecimals = buildCopyQuery({ ...request, decimals: true }, source).header;
      expect(withDecimals).to.deep.equal(
        header.flatMap((name) => (name.endsWith('_cents') ? [name, name.replace('_cents', '')] : [name])),
      );
    });
  }
});
