import type { Command, Outcome } from '../../contracts/command.js';
import type { Transaction } from '../../platform/postgres.js';
import { changesOfNew } from '../changes.js';
import { Places, type PlacesOf } from '../places.js';
import { refOf } from '../sets.js';
import type { EndpointCreation } from './commands.js';
import { insertEndpoints } from './endpoint-rows.js';
import { insertSecrets } from './secret-rows.js';

/** The transaction that records an event matches it against all endpoints of its account. */
const MAX_ENDPOINTS = 50;
const ENDPOINT_QUOTA: PlacesOf = {
  table: 'webhook_endpoints',
  counted: 't.deleted_at is null',
  most: MAX_ENDPOINTS,
  refusal: `An account has ${MAX_ENDPOINTS} webhook endpoints at most. Delete one that is no longer needed.`,
};

type CreateCommand = Command<EndpointCreation>;

/**
 * Creates endpoints with their endpoint queues and secrets. The outcome carries each new secret
 * sealed; the api unseals it for the response.
 */
export async function createWebhookEndpoints(tx: Transaction, commands: CreateCommand[]): Promise<Outcome[]> {
  const quota = await Places.count(tx, commands, ENDPOINT_QUOTA);
  const refusals = commands.map(({ tenantId }) => quota.take(tenantId));
  const admitted = commands.filter((_command, index) => !refusals[index]);
  await insertEndpoints(tx, admitted.map(buildRow));
  await insertSecrets(
    tx,
    admitted.map((command) => ({ ref: refOf(command), ...command.input })),
  );
  return commands.map((command, index) => refusals[index] ?? buildOutcome(command));
}

function buildRow(command: CreateCommand) {
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

function buildOutcome(command: CreateCommand): Outcome {
  const { material, pair: _pair, headers_sealed: _values, ...changedFields } = command.input;
  return {
    ok: true,
    answerExtra: { secret: command.dryRun ? null : material.sealed },
    changes: changesOfNew(changedFields),
    events: [],
    wokenEndpoints: [command.entityId],
  };
}
