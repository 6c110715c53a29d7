import type { Knex } from 'knex';

const TABLES = ['notices', 'notice_mails'];

/** The row-level security policy of every table. The migration isolate_tenants explains it. */
const POLICY = `(tenant_id = any ((select string_to_array(current_setting('app.tenant_ids', true), ',')::uuid[])::uuid[])) is true`;

/**
 * Adds the tables of an account's notices, and of the mails that send notices to the account's
 * users.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table notices (
      tenant_id uuid not null,
      id uuid not null,
      kind text not null,
      title text not null,
      text text not null,
      entity_type text not null,
      entity_id uuid not null,
      created_at timestamptz not null default now(),
      read_at timestamptz,
      -- When the first of its mails was accepted.
      mailed_at timestamptz,
      primary key (tenant_id, id)
    );
    create index notices_created on notices (tenant_id, created_at desc, id desc);
    create index notices_unread on notices (tenant_id, created_at desc, id desc) where read_at is null;

    -- The outbox of notices: one mail for each person.
    create table notice_mails (
      tenant_id uuid not null,
      id uuid not null default gen_random_uuid(),
      notice_id uuid not null,
      user_id uuid not null,
      state text not null default 'queued' check (state in ('queued', 'sent', 'failed')),
      error text,
      attempts integer not null default 0,
      -- No worker takes it before this: the lease of the one that has it, or the wait after a failure.
      attempt_after timestamptz not null default now(),
      created_at timestamptz not null default now(),
      primary key (tenant_id, id),
      foreign key (tenant_id, notice_id) references notices,
      foreign key (tenant_id, user_id) references users
    );
    create index notice_mails_notice on notice_mails (tenant_id, notice_id);
    create index notice_mails_queued on notice_mails (tenant_id, attempt_after) where state = 'queued';
  `);
  for (const table of TABLES) {
    await knex.raw(`
      alter table ${table} enable row level security;
      alter table ${table} force row level security;
      create policy tenant_isolation on ${table} using (${POLICY}) with check (${POLICY});
    `);
  }
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table notice_mails, notices');
}
