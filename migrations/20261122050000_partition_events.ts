import type { Knex } from 'knex';

/**
 * Runs without one transaction around all steps. Each step then holds its locks only briefly, so
 * that the application can run meanwhile.
 */
export const config = { transaction: false };

const DAY_MS = 24 * 3600 * 1000;
const WEEK_MS = 7 * DAY_MS;
/** 1970-01-05, a Monday. */
const FIRST_MONDAY_MS = 4 * DAY_MS;
/**
 * The old table receives new rows for at least two more weeks. If the last step fails, an operator
 * has time to run it again.
 */
const WEEKS_KEPT_BACK = 3;

/** The row-level security policy of every table. The migration isolate_tenants explains it. */
const POLICY = `(tenant_id = any ((select string_to_array(current_setting('app.tenant_ids', true), ',')::uuid[])::uuid[])) is true`;

/**
 * Shorter than the lock timeout of the application's sessions (2 s). Writes that wait behind this
 * migration then do not fail.
 */
const SOON = "set local lock_timeout = '1s'";

/**
 * Partitions events by week. The migration add_webhooks explains the reasons, because it partitions
 * deliveries in the same way. No row is rewritten: the existing table becomes the first partition,
 * for all ids below a future Monday.
 *
 * A constraint proves to PostgreSQL that the ids are below that Monday. The constraint is validated
 * in a separate step, which does not block writers. Two other steps do block writers: adding the
 * constraint as `not valid`, and exchanging the tables. Neither of these two scans a table, so both
 * are short. Queries that wait for the exchange continue with the new table, which has the old
 * name.
 */
export async function up(knex: Knex): Promise<void> {
  // An earlier run may have died after the exchange, before Knex recorded the migration.
  if (await isPartitioned(knex)) return;
  const endsAt = weekOf(Date.now()) + WEEKS_KEPT_BACK * WEEK_MS;
  const first = `events_until_${new Date(endsAt).toISOString().slice(0, 10).replaceAll('-', '')}`;
  await knex.raw(`
    ${SOON};
    alter table events drop constraint if exists events_bound;
    alter table events add constraint events_bound check (id < '${firstIdAt(endsAt)}') not valid;
  `);
  await knex.raw('alter table events validate constraint events_bound');
  await knex.transaction((trx) => exchange(trx, first, firstIdAt(endsAt)));
}

async function exchange(trx: Knex, first: string, end: string): Promise<void> {
  await trx.raw(`
    ${SOON};
    alter table events set schema partitions;
    alter table partitions.events rename to ${first};
    create table events (like partitions.${first} including defaults, primary key (tenant_id, id)) partition by range (id);
    create index events_order on events (tenant_id, xid, id);
    alter table events attach partition partitions.${first} for values from (minvalue) to ('${end}');
    create table partitions.events_default partition of events default;
    alter table partitions.${first} drop constraint events_bound;
    drop policy tenant_isolation on partitions.${first};
    alter table partitions.${first} no force row level security, disable row level security;
  `);
  await isolate(trx);
  await moveRights(trx, `partitions.${first}`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.transaction(async (trx) => {
    await trx.raw(`
      ${SOON};
      -- The policy binds the owner too, who names no tenant here.
      alter table events no force row level security;
      alter table events rename to events_by_week;
      create table events (like events_by_week including defaults);
      insert into events select * from events_by_week;
    `);
    await moveRights(trx, 'events_by_week');
    await trx.raw(`
      drop table events_by_week;
      alter table events add primary key (tenant_id, id);
      create index events_order on events (tenant_id, xid, id);
    `);
    await isolate(trx);
  });
}

async function isolate(trx: Knex): Promise<void> {
  await trx.raw(`
    alter table events enable row level security;
    alter table events force row level security;
    create policy tenant_isolation on events using (${POLICY}) with check (${POLICY});
  `);
}

/**
 * Moves the privileges of other roles to the new table. This must happen in the same transaction as
 * the exchange, because the application's processes are running.
 */
async function moveRights(trx: Knex, from: string): Promise<void> {
  await trx.raw(`
    do $do$
    declare granted record;
    begin
      for granted in
        select a.grantee::regrole as role, string_agg(a.privilege_type, ', ') as rights
        from pg_class c, aclexplode(c.relacl) a
        where c.oid = '${from}'::regclass and a.grantee <> c.relowner and a.grantee <> 0
        group by a.grantee
      loop
        execute format('grant %s on events to %s', granted.rights, granted.role);
        execute format('revoke all on ${from} from %s', granted.role);
      end loop;
    end $do$;
  `);
}

async function isPartitioned(knex: Knex): Promise<boolean> {
  const { rows } = await knex.raw(
    "select relkind = 'p' as yes from pg_class where oid = 'public.events'::regclass",
  );
  return rows[0].yes;
}

/** Returns Monday 00:00 UTC of the week that contains this time. */
function weekOf(ms: number): number {
  return Math.floor((ms - FIRST_MONDAY_MS) / WEEK_MS) * WEEK_MS + FIRST_MONDAY_MS;
}

/** Returns the lowest possible UUIDv7 of this time. */
function firstIdAt(ms: number): string {
  const time = ms.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`;
}
