/** What a dump holds of a table, and what it does not. */
export interface IncludedTable {
  columns: readonly string[];
  /** Columns that stay here, each with its reason. */
  without: Readonly<Record<string, string>>;
}

function table(columns: string, without: Readonly<Record<string, string>> = {}): IncludedTable {
  return { columns: columns.trim().split(/\s+/), without };
}

const TRANSACTION_NUMBER = 'a number of the database it comes from, which means nothing in another';

/**
 * The company's own data, in the order a dump has it. A table or column that is neither here nor below is in no dump (it may be a secret); test/integration/
 * export-dump-contents.test.ts fails until somebody has decided.
 */
export const INCLUDED_TABLES: Readonly<Record<string, IncludedTable>> = {
  tenants:
    table(`tenant_id name environment live_tenant_id tier time_zone tax_rate_bps grace_days terms_days agent_gate_cents agent_day_cents created_at updated_at id
    sandbox_tenant_id business_name address city state zip phone email remittance_text`),
  account_logos: table('tenant_id content_type width height sha256 data updated_at'),
  users: table('tenant_id id email name created_at updated_at deactivated_at', {
    password_hash: 'a credential',
    sign_in_addresses: 'marks that only this deployment can read',
  }),
  api_keys: table(
    `tenant_id id kind name prefix last_four permissions scopes read_only tier rolled_from created_at expires_at revoked_at last_used_at`,
    { key_hash: 'a credential' },
  ),
  tenant_counters: table('tenant_id name value'),
  rate_cards: table(
    `tenant_id id name version effective_from is_default after_hours_start after_hours_end after_hours_weekends items created_at`,
  ),
  customers:
    table(`tenant_id id company_name company_type billing_email primary_phone address city state zip is_active terms_days tax_exempt
    tax_rate_bps created_at updated_at rate_card_id`),
  drivers: table('tenant_id id name phone duty_classes status created_at updated_at'),
  trucks:
    table(`tenant_id id unit_number duty_class status driver_id vin plate make model year lat lng heading speed_mph located_at created_at
    updated_at`),
  work_orders:
    table(`tenant_id id job_number status intake billing_status service_type customer_id pickup_location pickup_lat pickup_lng
    dropoff_location vin vehicle_make vehicle_model vehicle_year unit_number contact_name contact_phone notes truck_id driver_id step dispatch_time
    completion_time created_at updated_at cancel_reason cancel_note eta priority miles customer_notes billing_email`),
  work_order_steps: table('tenant_id id work_order_id step truck_id driver_id at lat lng'),
  inspections:
    table(`tenant_id id kind truck_id driver_id work_order_id vehicle odometer_miles items defects photos result blocks_dispatch notes
    submitted_at created_at updated_at`),
  impounds:
    table(`tenant_id id work_order_id customer_id status held_from hold_reason vehicle_vin vehicle_plate vehicle_make vehicle_model
    vehicle_year vehicle_color lot spot notes impounded_at released_at release_kind released_to daily_rate_cents free_days accrued_days storage_cents
    created_at updated_at`),
  invoices: table(
    `tenant_id id invoice_number status customer_id work_order_id billing_email po_number vehicle_description notes due_date
    service_date tax_rate_bps subtotal_cents tax_cents total_cents paid_cents balance_due_cents created_by_agent sent_at paid_at delivery_state
    created_at updated_at released_at released_as viewed_at status_reason agent_id agent_priced_at replaced_agent_price_at trusted_billing_email`,
    {
      own_terms_due_at: 'a copy by which the clock searches',
      is_with_club: 'a copy by which the clock searches',
    },
  ),
  invoice_line_items: table(
    `tenant_id invoice_id position id name description category quantity unit_type unit_price_cents total_cents taxable`,
  ),
  payments: table(
    `tenant_id id invoice_id customer_id amount_cents method applied_cents refunded_cents received_at reference created_at updated_at`,
  ),
  refunds: table('tenant_id id payment_id amount_cents reason created_at'),
  claims:
    table(`tenant_id id invoice_id club provider_id po_number status status_reason submitted_at submit_by respond_by denial_code denial_reason
    attempt expected_cents paid_cents evidence created_at updated_at`),
  suggestions:
    table(`tenant_id id kind detector entity_type entity_id occasion invoice_id title rationale amount_cents confidence proposed_lines
    status decided_by decided_at note created_at updated_at`),
  detector_thresholds: table('tenant_id detector threshold accepts dismissals updated_at'),
  approvals:
    table(`tenant_id id kind status action entity_id agent_id agent_name source tool payload amount_cents counted_cents held_by justification
    invoice_id record_version hash changes decided_by decided_at note expires_at created_at`),
  messages: table(
    `tenant_id id invoice_id channel recipient subject body_text body_html state provider error created_at sent_at updated_at attempts accepted_at
    link_expires_at link_revoked_at`,
    {
      attempt_after: 'the lease of the worker that sends it',
      counted_at: 'what the workers remember of it',
    },
  ),
  notices: table('tenant_id id kind title text entity_type entity_id created_at read_at mailed_at'),
  audit_entries:
    table(`tenant_id id occurred_at actor_type actor_id actor_name action entity_type entity_id outcome source tool changes error
    response_status request_id idempotency_key ip user_agent`),
  events: table('tenant_id id type occurred_at body', { xid: TRANSACTION_NUMBER }),
  webhook_endpoints: table(
    `tenant_id id url event_types description header_names rate_limit_per_second max_in_flight enabled disabled_reason disabled_at deleted_at
    created_at updated_at`,
    { headers_sealed: 'credentials of the receiver' },
  ),
  webhook_deliveries:
    table(`tenant_id id endpoint_id event_id event_type trigger replay_id replay_of body priority status attempts next_attempt_at
    last_attempt_at last_response_status last_error completed_at created_at`),
  webhook_attempts:
    table(`tenant_id id delivery_id endpoint_id attempt started_at url request_headers response_status response_headers response_body
    response_truncated error_class error_message remote_address connect_ms first_byte_ms total_ms`),
  webhook_replays: table(
    'tenant_id id kind endpoint_id filter status total created_count created_at updated_at completed_at',
    { positions: 'how far the worker has come', xid: TRANSACTION_NUMBER },
  ),
  exports: table(
    `tenant_id id resource format filters include compression bom decimals status estimated_rows rows bytes file_name content_type sha256 files
    error attempts schedule_id started_at completed_at expires_at created_at updated_at`,
    {
      object_key: 'where storage keeps its file, which stays here',
      tries: 'what the workers remember of it',
      lease_owner: 'the lease of the worker that writes it',
      lease_until: 'the lease of the worker that writes it',
      wal_lsn: TRANSACTION_NUMBER,
    },
  ),
  export_schedules:
    table(`tenant_id id resource format filters include compression bom decimals cadence hour weekday day period enabled next_run_at
    last_run_at last_export_id deleted_at created_at updated_at`),
};

const MIGRATIONS = 'which changes of the schema have run here';

/** Tables of which a dump holds nothing, each with its reason. */
export const LEFT_OUT_TABLES: Readonly<Record<string, string>> = {
  sessions: 'credentials of people who are signed in',
  webhook_secrets: 'credentials that sign webhooks',
  idempotency_keys: 'answers kept for retries, for a day; new keys in them are sealed',
  operations: 'writes on their way',
  command_attempts: 'writes on their way',
  webhook_lanes: 'what delivery workers remember of an endpoint, and their leases',
  search_entries: 'an index of numbers and names, which triggers make from the records',
  mail_days: 'how many mails left on the last day',
  notice_mails: 'the outbox of the mails about notices',
  detector_marks: 'how far the detectors have come',
  detector_looks: 'how far the detectors have come',
  terms_changes: 'what the clock has still to bring up to date',
  sweep_faults: 'what the clock remembers of a sweep that failed',
  deployment_facts: 'what the processes of a deployment agree on; it belongs to no account',
  schema_migrations: MIGRATIONS,
  schema_migrations_lock: MIGRATIONS,
};

/** Schemas of which a dump holds nothing, each with its reason. */
export const LEFT_OUT_SCHEMAS: Readonly<Record<string, string>> = {
  partitions: 'the parts of the partitioned tables, whose rows are read through those',
  bullmq: 'the queue',
  clock: 'when its schedules last ran, which belongs to no account',
};
