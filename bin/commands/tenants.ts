import Joi from 'joi';
import type { Tier } from '../../shared/config/config.js';
import { text } from '../../shared/contracts/schemas/fields.js';
import { validate } from '../../shared/contracts/schemas/validate.js';
import { TIERS } from '../../shared/contracts/vocabulary.js';
import { isUuid } from '../../shared/platform/ids.js';
import type { Database } from '../../shared/platform/postgres/database.js';
import { isInSessionTenants } from '../../shared/records/session-tenants.js';
import { isNodeTimeZone, isPostgresTimeZone } from '../../shared/resources/settings/time-zones.js';
import { createTenantPair, createTenantPairIds } from '../../shared/resources/tenants/create-tenant.js';
import type { CommandArgs, RunCommand } from '../cli/command.js';
import { notFoundError, usageError } from '../cli/exit-codes.js';
import { renderTable } from '../cli/output.js';
import { readAcrossTenants } from '../cli/store.js';

interface TenantFields {
  name: string;
  tier: Tier;
  time_zone: string;
}

/** New tenants get the tier standard (docs/decisions.md §6). */
const tenantFields = Joi.object({
  name: text(200).required(),
  tier: Joi.string()
    .valid(...TIERS)
    .default('standard'),
  time_zone: text(100).default('America/New_York'),
});

/** `tow tenants create`: creates a tenant and its sandbox. */
export const createTenant: RunCommand = async ({ values }, { store }) => {
  const { name, tier, 'time-zone': time_zone } = values;
  const fields = validate<TenantFields>(tenantFields, { name, tier, time_zone });
  const { db } = await store();
  await assertTimeZone(db, fields.time_zone);
  const pair = createTenantPairIds();
  await db.transaction([pair.live, pair.sandbox], (tx) =>
    createTenantPair(tx, pair, { name: fields.name, tier: fields.tier, timeZone: fields.time_zone }),
  );
  return {
    data: { id: pair.live, sandbox_id: pair.sandbox, ...fields },
    text: `Created ${fields.name} (${fields.tier}, ${fields.time_zone}).\ntenant   ${pair.live}\nsandbox  ${pair.sandbox}`,
  };
};

/** PostgreSQL and Node.js must both know the time zone, because both calculate with it. */
async function assertTimeZone(db: Database, timeZone: string): Promise<void> {
  if (!isNodeTimeZone(timeZone) || !(await isPostgresTimeZone(db, timeZone)))
    throw usageError(`"${timeZone}" is not a time zone; give an IANA name such as America/Chicago.`);
}

const LIST_TENANTS = `select tenant_id as id, name, environment, live_tenant_id, tier, time_zone, created_at
  from tenants t where ${isInSessionTenants('t')}`;

/** `tow tenants list`: lists all tenants, each followed by its sandbox. */
export const listTenants: RunCommand = async (_args, { store }) => {
  const { db } = await store();
  const items = await readAcrossTenants<TenantRow>(db, LIST_TENANTS);
  const liveId = ({ id, live_tenant_id }: TenantRow) => live_tenant_id ?? id;
  items.sort(
    (a, b) =>
      a.name.localeCompare(b.name) ||
      liveId(a).localeCompare(liveId(b)) ||
      a.environment.localeCompare(b.environment),
  );
  return {
    data: { items, count: items.length },
    text: renderTable(items, ['id', 'name', 'environment', 'tier', 'time_zone', 'created_at']),
  };
};

export interface TenantRow extends Record<string, unknown> {
  id: string;
  name: string;
  environment: 'live' | 'sandbox';
  live_tenant_id: string | null;
}

/**
 * Finds the tenant that `--tenant` names, which may be a sandbox. With `--sandbox`, finds the
 * sandbox of a live tenant.
 * @throws {CliError} `usage` if the value is not an id, `not_found` if no tenant has the id
 */
export async function findNamedTenant(db: Database, { values }: CommandArgs): Promise<TenantRow> {
  const id = String(values.tenant).toLowerCase();
  if (!isUuid(id)) throw usageError('--tenant must be the id of a tenant; `tow tenants list` shows them.');
  const [tenant] = await db.read<TenantRow>(id, {
    text: `${LIST_TENANTS} and tenant_id = $1`,
    values: [id],
  });
  if (!tenant) throw notFoundError('tenant');
  if (values.sandbox !== true || tenant.environment === 'sandbox') return tenant;
  const [sandbox] = await readAcrossTenants<TenantRow>(db, `${LIST_TENANTS} and live_tenant_id = $1`, [id]);
  if (!sandbox) throw notFoundError('sandbox');
  return sandbox;
}
