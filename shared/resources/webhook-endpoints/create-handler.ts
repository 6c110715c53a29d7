import type { Command, Outcome } from '../../contracts/command.js';
import type { Transaction } from '../../platform/postgres.js';
import { changesOfNew } from '../changes.js';
import { Places, type PlacesOf } from '../places.js';
import { refOf } from '../sets.js';
import type { EndpointCreation } from './commands.js';
import { insertEndpoints } from './endpoint-rows.js';
import { insertSecrets } from './secret-rows.js';

/** Each event is matched against all endpoints of its account, in its own transaction. */
const MAX_ENDPOINTS = 50;
const ENDPOINTS: PlacesOf = {
  table: 'webhook_endpoints',
  counted: 't.deleted_at is null',
  most: MAX_ENDPOINTS,
  refusal: `An account has ${MAX_ENDPOINTS} webhook endpoints at most. Delete one that is no longer needed.`,
};

type CreateCommand = Command<EndpointCreation>;

/** Makes endpoints with their lanes and secrets. The answer carries the new secret sealed; the api opens it when it answers. */
export async function createWebhookEndpoints(tx: Transaction, commands: CreateCommand[]): Promise<Outcome[]> {
  const places = await Places.count(tx, commands, ENDPOINTS);
  const refusals = commands.map(({ tenantId }) => places.take(tenantId));
  const admitted = commands.filter((_command, index) => !refusals[index]);
  await insertEndpoints(tx, admitted.map(rowOf));
  await insertSecrets(
    tx,
    admitted.map((command) => ({ ref: refOf(command), ...command.input })),
  );
  return commands.map((command, index) => refusals[index] ?? outcomeOf(command));
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
