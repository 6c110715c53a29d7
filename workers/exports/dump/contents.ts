import { lineItemFields } from '../../../shared/billing/line-item-fields.js';
import type { RecordFields } from '../../../shared/records/fields/record-fields.js';
import * as modules from '../../../shared/registry/modules.js';
import { apiKeyFields } from '../../../shared/resources/api-keys/fields.js';
import { approvalFields } from '../../../shared/resources/approvals/fields.js';
import { autopayAttemptFields } from '../../../shared/resources/autopay-attempts/fields.js';
import { claimFields } from '../../../shared/resources/claims/fields.js';
import { clubOfferFields } from '../../../shared/resources/club-offers/fields.js';
import { connectionDriverFields } from '../../../shared/resources/connection-drivers/fields.js';
import { connectionVehicleFields } from '../../../shared/resources/connection-vehicles/fields.js';
import {
  connectionFields,
  outboundOperationFields,
  syncRunFields,
} from '../../../shared/resources/connections/fields.js';
import { customerFields } from '../../../shared/resources/customers/fields.js';
import { disputeFields } from '../../../shared/resources/disputes/fields.js';
import { driverFields } from '../../../shared/resources/drivers/fields.js';
import { exportScheduleFields } from '../../../shared/resources/export-schedules/fields.js';
import { exportFields } from '../../../shared/resources/exports/fields.js';
import { impoundFields } from '../../../shared/resources/impounds/fields.js';
import { inspectionFields } from '../../../shared/resources/inspections/fields.js';
import { invitationFields } from '../../../shared/resources/invitations/fields.js';
import { invoiceFields } from '../../../shared/resources/invoices/fields.js';
import { messageTemplateFields } from '../../../shared/resources/message-templates/fields.js';
import { messageFields } from '../../../shared/resources/messages/fields.js';
import { noticeFields } from '../../../shared/resources/notices/fields.js';
import { payLinkFields } from '../../../shared/resources/pay-links/fields.js';
import { paymentFields, refundFields } from '../../../shared/resources/payments/fields.js';
import { payoutFields, payoutItemFields } from '../../../shared/resources/payouts/fields.js';
import { rateCardFields } from '../../../shared/resources/rate-cards/fields.js';
import { remittanceFields } from '../../../shared/resources/remittances/fields.js';
import { savedMethodFields } from '../../../shared/resources/saved-methods/fields.js';
import { suggestionFields } from '../../../shared/resources/suggestions/fields.js';
import { syncIssueFields } from '../../../shared/resources/sync-issues/fields.js';
import { terminalPaymentFields } from '../../../shared/resources/terminal-payments/fields.js';
import { terminalReaderFields } from '../../../shared/resources/terminal-readers/fields.js';
import { textConsentFields } from '../../../shared/resources/text-consents/fields.js';
import { truckFields } from '../../../shared/resources/trucks/fields.js';
import { userFields } from '../../../shared/resources/users/fields.js';
import { webhookEndpointFields } from '../../../shared/resources/webhook-endpoints/fields.js';
import { workOrderPhotoFields } from '../../../shared/resources/work-order-photos/fields.js';
import { workOrderFields } from '../../../shared/resources/work-orders/fields.js';
import { EXCLUDED_TABLES } from './excluded-tables.js';

export interface IncludedTable {
  columns: readonly string[];
  /** Maps each excluded column to the reason why dumps exclude it. */
  excluded: Readonly<Record<string, string>>;
}

function defineTable(columns: string, excluded: Readonly<Record<string, string>> = {}): IncludedTable {
  return { columns: columns.trim().split(/\s+/), excluded };
}

/** Defines a table that includes the columns of a resource's fields, and `otherColumns`. */
function defineFieldTable(
  { columnNames }: RecordFields,
  otherColumns = '',
  excluded?: IncludedTable['excluded'],
): IncludedTable {
  return defineTable(['tenant_id', ...columnNames, otherColumns].join(' '), excluded);
}

/** The columns with a record's JSON text, with the reason why dumps exclude them. */
const STORED_JSON = {
  stored_json: 'a text that the trigger of the table renders',
  stored_json_version: 'a text that the trigger of the table renders',
};

const INTERNAL_NUMBER = 'an internal number of the source database, which is meaningless in another database';

/**
 * The tables and columns that a dump contains, in the sequence of the dump. For any other table, a
 * dump contains only the columns that API responses show, because its other columns may contain
 * secrets. test/integration/exports/export-dump-contents.test.ts fails until every table and column
 * is listed as included or excluded.
 */
const LISTED_TABLES: Readonly<Record<string, IncludedTable>> = {
  tenants:
    defineTable(`tenant_id name environment live_tenant_id tier time_zone tax_rate_bps grace_days terms_days agent_gate_cents agent_day_cents created_at updated_at id
    require_factor driver_payments sandbox_tenant_id business_name address city state zip phone email remittance_text
    mail_subject mail_text sms_text`),
  account_logos: defineTable('tenant_id content_type width height sha256 data updated_at'),
  users: defineFieldTable(userFields, '', {
    password_hash: 'a credential',
    sign_in_addresses: 'keyed hashes that only this deployment can check',
    is_email_set_by_key: 'a guard of this deployment against resets by keys',
    email_proved_at: 'a guard of this deployment against strangers who add the address',
  }),
  invitations: defineFieldTable(invitationFields, '', {
    token_hash: 'a credential',
    invited_by: 'a guard of this deployment; the audit log names who invited',
  }),
  api_keys: defineFieldTable(apiKeyFields, 'rolled_from', { key_hash: 'a credential' }),
  tenant_counters: defineTable('tenant_id name value'),
  rate_cards: defineFieldTable(rateCardFields),
  customers: defineFieldTable(customerFields, 'coverage_changed_at', {
    sort_name: 'a copy of company_name that sorts the list',
    ...STORED_JSON,
  }),
  drivers: defineFieldTable(driverFields, 'phone_e164 name_key'),
  trucks: defineFieldTable(truckFields, 'odometer_miles odometer_source odometer_read_at'),
  work_orders: defineFieldTable(
    workOrderFields,
    `intake priority driven_miles driven_coverage driven_source driven_loaded_miles driven_loaded_coverage driven_loaded_source
    driven_measured_at`,
    {
      drive_due_at: 'internal state of the clock',
      drive_until: 'internal state of the clock',
      ...STORED_JSON,
    },
  ),
  work_order_steps: defineTable('tenant_id id work_order_id step truck_id driver_id at lat lng'),
  work_order_photos: defineFieldTable(workOrderPhotoFields, 'deleted_at', {
    object_key: 'storage location of the picture, which is not part of the dump',
  }),
  inspections: defineFieldTable(inspectionFields, 'blocks_dispatch'),
  impounds: defineFieldTable(impoundFields, 'held_from'),
  invoices: defineFieldTable(
    invoiceFields,
    `tax_rate_bps created_by_agent paid_at delivery_state released_at released_as viewed_at status_reason agent_id agent_priced_at
    replaced_agent_price_at trusted_billing_email pay_link_id`,
    {
      own_terms_due_at: 'a copy that the clock uses for its queries',
      is_with_club: 'a copy that the clock uses for its queries',
      ...STORED_JSON,
    },
  ),
  invoice_line_items: defineFieldTable(lineItemFields),
  payments: defineFieldTable(
    paymentFields,
    'customer_id applied_cents connection_id pay_link_id observed_at',
  ),
  pay_links: defineFieldTable(payLinkFields, 'return_path'),
  saved_methods: defineFieldTable(
    savedMethodFields,
    'provider_customer_id provider_method_id announced_expiry observed_at',
  ),
  autopay_attempts: defineFieldTable(autopayAttemptFields, 'connection_id'),
  terminal_readers: defineFieldTable(terminalReaderFields, 'external_id observed_at'),
  club_offers: defineFieldTable(clubOfferFields),
  terminal_payments: defineFieldTable(terminalPaymentFields),
  refunds: defineFieldTable(refundFields, 'connection_id observed_at updated_at'),
  disputes: defineFieldTable(disputeFields, 'evidence refund_id observed_at'),
  payouts: defineFieldTable(payoutFields, 'observed_at', {
    are_items_ready: 'internal state of the workers',
  }),
  payout_items: defineFieldTable(payoutItemFields, 'connection_id provider_payment_id provider_source_id'),
  claims: defineFieldTable(claimFields),
  remittances: defineFieldTable(remittanceFields, 'identity deleted_at'),
  suggestions: defineFieldTable(suggestionFields, 'occasion invoice_subtotal_cents'),
  detector_thresholds: defineTable('tenant_id detector threshold accepts dismissals updated_at'),
  approvals: defineFieldTable(approvalFields, 'entity_id source'),
  connections: defineFieldTable(connectionFields, '', {
    account_hash: 'a copy of the account for lookups',
  }),
  connection_drivers: defineFieldTable(connectionDriverFields, 'phone_e164 name_key', {
    listed_by: 'progress of the workers',
  }),
  connection_vehicles: defineFieldTable(connectionVehicleFields, '', {
    listed_by: 'progress of the workers',
  }),
  external_ids: defineTable('tenant_id connection_id kind local_id external_id version url written_at', {
    compared_at: 'internal state of the workers',
  }),
  sync_runs: defineFieldTable(syncRunFields),
  outbound_operations: defineFieldTable(outboundOperationFields, 'local_id last_error_kind', {
    operation_key: 'internal state of the workers',
    may_have_arrived: 'internal state of the workers',
    first_attempt_at: 'internal state of the workers',
    unanswered_at: 'internal state of the workers',
  }),
  sync_issues: defineFieldTable(syncIssueFields, 'external_id seen_at', {
    digest: 'internal state of the workers',
  }),
  text_consents: defineFieldTable(textConsentFields, 'phone_key'),
  message_templates: defineFieldTable(messageTemplateFields, 'id'),
  messages: defineFieldTable(messageFields, 'connection_id accepted_at external_id respects_quiet_hours', {
    attempt_after: 'the lease of the worker that sends the message',
    counted_at: 'internal state of the workers',
  }),
  notices: defineFieldTable(noticeFields),
  audit_entries:
    defineTable(`tenant_id id occurred_at actor_type actor_id actor_name action entity_type entity_id outcome source tool changes error
    response_status request_id idempotency_key ip user_agent`),
  events: defineTable('tenant_id id type occurred_at body', { xid: INTERNAL_NUMBER }),
  webhook_endpoints: defineFieldTable(webhookEndpointFields, 'deleted_at', {
    headers_sealed: 'credentials of the receiver',
  }),
  webhook_deliveries:
    defineTable(`tenant_id id endpoint_id event_id event_type trigger replay_id replay_of body priority status attempts next_attempt_at
    last_attempt_at last_response_status last_error completed_at created_at`),
  webhook_attempts:
    defineTable(`tenant_id id delivery_id endpoint_id attempt started_at url request_headers response_status response_headers response_body
    response_truncated error_class error_message remote_address connect_ms first_byte_ms total_ms`),
  webhook_replays: defineTable(
    'tenant_id id kind endpoint_id filter status total created_count created_at updated_at completed_at',
    { positions: 'progress of the worker', xid: INTERNAL_NUMBER },
  ),
  exports: defineFieldTable(exportFields, 'estimated_rows rows', {
    object_key: 'storage location of the file, which is not part of the dump',
    tries: 'internal state of the workers',
    lease_owner: 'the lease of the worker that writes the export',
    lease_until: 'the lease of the worker that writes the export',
    wal_lsn: INTERNAL_NUMBER,
  }),
  export_schedules: defineFieldTable(exportScheduleFields, 'deleted_at'),
};

/**
 * The tables of the resources that neither LISTED_TABLES nor EXCLUDED_TABLES contains. Each table
 * includes the columns that responses show.
 */
const FIELD_TABLES = Object.fromEntries(
  Object.values(modules).flatMap(({ table: { table }, fields: [fields] }) =>
    !fields || table in LISTED_TABLES || table in EXCLUDED_TABLES ? [] : [[table, defineFieldTable(fields)]],
  ),
);

export const INCLUDED_TABLES: typeof LISTED_TABLES = { ...LISTED_TABLES, ...FIELD_TABLES };

/** Maps each excluded schema to the reason why dumps exclude it. */
export const EXCLUDED_SCHEMAS: Readonly<Record<string, string>> = {
  partitions: 'the partitions of the partitioned tables, whose rows are read through those tables',
  bullmq: 'the queue',
  clock: 'when the schedules of the clock last ran; this belongs to no account',
};
