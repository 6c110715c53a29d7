import type { Command, Outcome } from '../../contracts/command.js';
import type { Transaction } from '../../platform/postgres.js';
import { changesOfNew } from '../changes.js';
import { failed, refOf } from '../sets.js';
import type { EndpointCreation } from './commands.js';
import { insertEndpoints } from './endpoint-rows.js';
import { insertSecrets } from './secret-rows.js';

/** Each event is matched against all endpoints of its account, in its own transaction. */
const MAX_ENDPOINTS = 50;

type CreateCommand = Command<EndpointCreation>;

/** Makes endpoints with their lanes and secrets. The answer carries the new secret sealed; the api opens it when it answers. */
export async function createWebhookEndpoints(tx: Transaction, commands: CreateCommand[]): Promise<Outcome[]> {
  const counts = await countEndpoints(tx, [...new Set(commands.map(({ tenantId }) => tenantId))]);
  const admitted = commands.filter(({ tenantId }) => {
    const count = (counts.get(tenantId) ?? 0) + 1;
    if (count > MAX_ENDPOINTS) return false;
    counts.set(tenantId, count);
    return true;
  });
  await insertEndpoints(tx, admitted.map(rowOf));
  await insertSecrets(
    tx,
    admitted.map((command) => ({ ref: refOf(command), ...command.input })),
  );
  return commands.map((command) => (admitted.includes(command) ? outcomeOf(command) : tooMany()));
}

/** Live endpoints by account. The accounts are locked: of two that each want the last place, one comes second and sees it taken. */
async function countEndpoints(tx: Transaction, tenantIds: string[]): Promise<Map<string, number>> {
  await tx.query({
    name: 'lock-accounts-for-endpoints',
    text: 'select from tenants where tenant_id = any($1::uuid[]) order by tenant_id for no key update',
    values: [tenantIds],
  });
  const rows = await tx.query<{ tenant_id: string; count: number }>({
    name: 'count-webhook-endpoints',
    text: `select tenant_id, count(*)::int as count from webhook_endpoints where tenant_id = any($1::uuid[]) and deleted_at is null
           group by tenant_id`,
    values: [tenantIds],
  });
  return new Map(rows.map(({ tenant_id, count }) => [tenant_id, count]));
}

function rowOf(command: CreateCommand) {
  const { material: _secret, pair: _pair, asymmetric: _asymmetric, ...fields } = command.input;
  const isOff = !fields.enabled;
  return {
    header_names: [],
    ...fields,
    ...refOf(command),
    disabled_reason: isOff ? 'user' : null,
    disabled_at: isOff ? new Date().toISOString() : null,
  };
}

function outcomeOf(command: CreateCommand): Outcome {
  const { material, pair: _pair, headers_sealed: _values, ...told } = command.input;
  return {
    ok: true,
    answerExtra: { secret: command.dryRun ? null : material.sealed },
    changes: changesOfNew(told),
    events: [],
    wokenEndpoints: [command.entityId],
  };
}

function tooMany(): Outcome {
  const message = `An account has ${MAX_ENDPOINTS} webhook endpoints at most. Delete one that is no longer needed.`;
  return failed({ code: 'conflict', message });
}
