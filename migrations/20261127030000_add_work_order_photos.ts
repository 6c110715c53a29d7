import type { Knex } from 'knex';

/** The row-level security policy of every table. The migration isolate_tenants explains it. */
const POLICY = `(tenant_id = any ((select string_to_array(current_setting('app.tenant_ids', true), ',')::uuid[])::uuid[])) is true`;

/** Adds the photos of work orders. Their pictures are in storage. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table work_order_photos (
      tenant_id uuid not null,
      id uuid not null,
      work_order_id uuid not null,
      content_type text not null,
      width integer not null check (width > 0),
      height integer not null check (height > 0),
      bytes integer not null check (bytes > 0),
      -- Hexadecimal SHA-256 of the stored picture.
      sha256 text not null,
      object_key text not null,
      taken_at timestamptz,
      uploaded_by text,
      -- The storage cleaner deletes the picture of a deleted photo.
      deleted_at timestamptz,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (tenant_id, id),
      foreign key (tenant_id, work_order_id) references work_orders (tenant_id, id)
    );
    create unique index work_order_photos_once on work_order_photos (tenant_id, work_order_id, sha256) where deleted_at is null;
    create index work_order_photos_created on work_order_photos (tenant_id, work_order_id, created_at desc, id desc) where deleted_at is null;
    create index work_order_photos_listed on work_order_photos (tenant_id, created_at desc, id desc) where deleted_at is null;
    create index work_order_photos_bytes on work_order_photos (tenant_id) include (bytes) where deleted_at is null;
    create index work_order_photos_objects on work_order_photos (tenant_id, object_key);
    alter table work_order_photos enable row level security;
    alter table work_order_photos force row level security;
    create policy tenant_isolation on work_order_photos using (${POLICY}) with check (${POLICY});
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table work_order_photos');
}
