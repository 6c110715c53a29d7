import type { Knex } from 'knex';

/**
 * Adds a daily limit for the drafts of one agent key. Adds columns that show whether a person has
 * replaced an agent's changes to an invoice. All columns are nullable without a default, so no row
 * is rewritten. Null means that an earlier version wrote the row.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table tenants add column agent_day_cents bigint check (agent_day_cents >= 0);
    -- The setting whose bound held the write; null: agent_gate_cents, or a proposal.
    alter table approvals add column held_by text check (held_by in ('agent_gate_cents', 'agent_day_cents'));
    alter table invoices
      -- agent_priced_at of the price that a person's own lines have replaced. Any other
      -- agent_priced_at is a price that no person took over.
      add column replaced_agent_price_at timestamptz,
      -- billing_email as somebody other than an agent last left it, '' for none. Null: not known,
      -- the audit log tells.
      add column trusted_billing_email text;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table invoices drop column replaced_agent_price_at, drop column trusted_billing_email;
    alter table approvals drop column held_by;
    alter table tenants drop column agent_day_cents;
  `);
}
