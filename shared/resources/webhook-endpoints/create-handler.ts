import type { Command, CommandOutcome } from '../../contracts/command.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { WEBHOOKS_QUEUE } from '../../queues/webhooks.js';
import { AccountQuota, type AccountQuotaRule } from '../../records/account-quota.js';
import { diffNewRecord } from '../../records/changes.js';
import { refKey, toRecordRef } from '../../records/record-refs.js';
import { unknownReferenceOutcome } from '../../records/references.js';
import { findLiveClubs } from '../api-keys/live-clubs.js';
import type { EndpointCreation } from './commands.js';
import { insertEndpoints, refuseOtherTypes } from './endpoint-rows.js';
import { insertSecrets } from './secret-rows.js';

/**
 * Maximum number of endpoints per account. There is a limit, because each transaction that records
 * an event compares the event with all endpoints of the account.
 */
const MAX_ENDPOINTS = 50;
const ENDPOINT_QUOTA: AccountQuotaRule = {
  table: 'webhook_endpoints',
  countedRows: 't.deleted_at is null',
  maxRecords: MAX_ENDPOINTS,
  refusalMessage: `An account has ${MAX_ENDPOINTS} webhook endpoints at most. Delete one that is no longer needed.`,
};

type CreateCommand = Command<EndpointCreation>;

/**
 * Creates endpoints with their endpoint queues and secrets. The outcome contains each new secret
 * encrypted, and the api decrypts the secret for the response.
 */
export async function createWebhookEndpoints(
  tx: Transaction,
  commands: CreateCommand[],
): Promise<CommandOutcome[]> {
  const quota = await AccountQuota.load(tx, commands, ENDPOINT_QUOTA);
  const named = commands.flatMap(({ tenantId: tenant_id, input: { club_id } }) =>
    club_id ? [{ tenant_id, id: club_id }] : [],
  );
  const clubs = await findLiveClubs(tx, named);
  const refusals = commands.map(
    (command) =>
      refuseUnknownClub(command, clubs) ??
      refuseOtherTypes(command.input.club_id, command.input.event_types) ??
      quota.reserve(command.tenantId),
  );
  const admitted = commands.filter((_command, index) => !refusals[index]);
  await insertEndpoints(tx, admitted.map(buildRow));
  await insertSecrets(
    tx,
    admitted.map((command) => ({ ref: toRecordRef(command), ...command.input })),
  );
  return commands.map((command, index) => refusals[index] ?? buildOutcome(command));
}

function refuseUnknownClub(
  { tenantId, input: { club_id } }: CreateCommand,
  clubs: Set<string>,
): CommandOutcome | undefined {
  const isKnown = !club_id || clubs.has(refKey({ tenant_id: tenantId, id: club_id }));
  return isKnown ? undefined : unknownReferenceOutcome('club_id', 'motor_club');
}

function buildRow(command: CreateCommand) {
  const { material: _secret, pair: _pair, asymmetric: _asymmetric, ...fields } = command.input;
  const isOff = !fields.enabled;
  return {
    header_names: [],
    ...fields,
    ...toRecordRef(command),
    disabled_reason: isOff ? 'user' : null,
    disabled_at: isOff ? new Date().toISOString() : null,
  };
}

function buildOutcome(command: CreateCommand): CommandOutcome {
  const { material, pair: _pair, headers_sealed: _values, ...changedFields } = command.input;
  return {
    ok: true,
    responseExtra: { secret: command.dryRun ? null : material.sealed },
    changes: diffNewRecord(changedFields),
    events: [],
    prompts: [{ queue: WEBHOOKS_QUEUE, id: command.entityId }],
  };
}
