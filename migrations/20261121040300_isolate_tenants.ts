import type { Knex } from 'knex';

const TABLES = [
  'tenants',
  'users',
  'api_keys',
  'tenant_counters',
  'customers',
  'work_orders',
  'invoices',
  'invoice_line_items',
  'audit_entries',
  'events',
  'idempotency_keys',
  'operations',
  'command_attempts',
];

/**
 * The policy of forced row-level security on every table. The subselect makes PostgreSQL parse the
 * list of tenants once, as an InitPlan. If no tenant is set, the list is null and no row is
 * visible.
 *
 * With "is true", PostgreSQL uses the policy only as a filter. Without "is true", PostgreSQL used
 * the policy as an index condition on tables without statistics. It then read all rows of a tenant
 * and joined them, which took 15 ms instead of 0.5 ms for 20 rows. Queries need no index condition
 * from the policy, because every query also names its tenant_id.
 */
const POLICY = `(tenant_id = any ((select string_to_array(current_setting('app.tenant_ids', true), ',')::uuid[])::uuid[])) is true`;

export async function up(knex: Knex): Promise<void> {
  for (const table of TABLES) {
    await knex.raw(`
      alter table ${table} enable row level security;
      alter table ${table} force row level security;
      create policy tenant_isolation on ${table} using (${POLICY}) with check (${POLICY});
    `);
  }
  await knex.raw(`
    -- A credential is looked up before its tenant is known: whoever holds the hash may read that one row, and only read it.
    create policy key_lookup on api_keys for select
      using (key_hash = decode(nullif(current_setting('app.key_hash', true), ''), 'hex'));
    -- Sweeps walk over the tenants' ids, then name each tenant before they see anything of it.
    create policy tenant_directory on tenants for select
      using (current_setting('app.purpose', true) = 'directory');
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop policy key_lookup on api_keys; drop policy tenant_directory on tenants');
  for (const table of TABLES) {
    await knex.raw(
      `drop policy tenant_isolation on ${table}; alter table ${table} disable row level security`,
    );
  }
}
