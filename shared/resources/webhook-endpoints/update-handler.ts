import type { Config } from '../../config/config.js';
import type { Change, Command, CommandOutcome } from '../../contracts/command.js';
import { resetEndpointHealth } from '../../deliveries/store-health-progress.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { WEBHOOKS_QUEUE } from '../../queues/webhooks.js';
import { diffPatch } from '../../records/changes.js';
import type { PlannedMerge } from '../../records/merge-records.js';
import { notFoundOutcome } from '../../records/outcomes.js';
import { refKey, toRecordRef } from '../../records/record-refs.js';
import type { EndpointChange } from './commands.js';
import {
  ENDPOINT_LABEL,
  type EndpointRow,
  findEndpointsWithFailures,
  lockEndpoints,
  refuseOtherTypes,
  storeEndpoints,
} from './endpoint-rows.js';
import { deriveWebhookHeadersKey, isSameHeaders } from './headers.js';
import { countSigningSecrets, deleteKeyPairs, expireSecrets, insertSecrets } from './secret-rows.js';

type UpdateCommand = Command<EndpointChange>;

/** The effects of an update: the columns to set, and the changes to other tables. */
interface Plan extends PlannedMerge {
  command: UpdateCommand;
  /**
   * True if failures and pauses are cleared, because a client enabled the endpoint or changed its
   * URL.
   */
  startsAfresh: boolean;
  /** True to start signing with ed25519, false to stop; undefined for no change. */
  asymmetric: boolean | undefined;
}

/**
 * Applies JSON merge patches to endpoints. If a client enables an endpoint again, or changes the
 * URL of an enabled endpoint, the endpoint's failures and pauses are cleared.
 */
export async function updateWebhookEndpoints(
  tx: Transaction,
  commands: UpdateCommand[],
  config: Config,
): Promise<CommandOutcome[]> {
  const rows = await lockEndpoints(tx, commands.map(toRecordRef));
  const [signing, troubled] = await Promise.all([
    countSigningSecrets(tx, [...rows.values()]),
    findEndpointsWithFailures(tx, [...rows.values()]),
  ]);
  const headersKey = deriveWebhookHeadersKey(config.secretKey);
  const plans = commands.map((command): Plan | CommandOutcome => {
    const row = rows.get(refKey(toRecordRef(command)));
    if (!row) return notFoundOutcome(ENDPOINT_LABEL);
    const refusal = refuseOtherTypes(row.club_id, command.input.event_types);
    if (refusal) return refusal;
    const isTroubled = troubled.has(refKey(row));
    return planUpdate(command, row, { headersKey, isTroubled, isAsymmetric: signing(row).v1a > 0 });
  });
  const accepted = plans.flatMap((plan) => ('ok' in plan ? [] : plan));
  await storeEndpoints(tx, accepted);
  await resetEndpointHealth(
    tx,
    accepted.filter(({ startsAfresh }) => startsAfresh).map(({ command }) => toRecordRef(command)),
  );
  const pairs = accepted.filter(({ asymmetric }) => asymmetric === true);
  await insertSecrets(
    tx,
    pairs.map(({ command }) => ({ ref: toRecordRef(command), pair: command.input.pair })),
  );
  const ended = accepted.filter(({ asymmetric }) => asymmetric === false);
  await deleteKeyPairs(
    tx,
    ended.map(({ command }) => toRecordRef(command)),
  );
  return plans.map((plan) => ('ok' in plan ? plan : buildOutcome(plan)));
}

function planUpdate(
  command: UpdateCommand,
  row: EndpointRow,
  {
    headersKey,
    isTroubled,
    isAsymmetric,
  }: { headersKey: Buffer; isTroubled: boolean; isAsymmetric: boolean },
): Plan {
  const { pair: _pair, asymmetric, enabled, headers_sealed = null, header_names, ...facts } = command.input;
  const hasNewHeaders =
    header_names !== undefined && !isSameHeaders(headersKey, row.headers_sealed, headers_sealed);
  const { disabled_at, ...switched } = planEnabled(row, enabled);
  const changedFields = { ...facts, ...switched, ...(hasNewHeaders ? { header_names } : {}) };
  const changesAsymmetric = asymmetric !== undefined && asymmetric !== isAsymmetric;
  const changesUrl = facts.url !== undefined && facts.url !== row.url;
  const clearsFailures = isTroubled && row.enabled && (enabled === true || changesUrl);
  const changes: Change[] = [
    ...diffPatch(row, changedFields),
    ...(clearsFailures ? [{ field: 'failures', from: null, to: 'forgotten' }] : []),
    // The audit log must not show header values, so this entry says only that the headers changed.
    ...(hasNewHeaders ? [{ field: 'headers', from: null, to: 'changed' }] : []),
    ...(changesAsymmetric ? [{ field: 'asymmetric', from: isAsymmetric, to: asymmetric }] : []),
  ];
  return {
    command,
    row,
    set: {
      ...changedFields,
      ...(hasNewHeaders ? { headers_sealed } : {}),
      ...(disabled_at === undefined ? {} : { disabled_at }),
    },
    changes,
    startsAfresh: clearsFailures || (enabled === true && !row.enabled),
    asymmetric: changesAsymmetric ? asymmetric : undefined,
  };
}

/**
 * Returns the columns that `enabled` sets. If a client disables an endpoint, the reason is `user`,
 * even if the service had already disabled the endpoint. The service never enables an endpoint that
 * was disabled for this reason.
 */
function planEnabled(
  row: EndpointRow,
  enabled: boolean | undefined,
): Partial<Pick<EndpointRow, 'enabled' | 'disabled_reason' | 'disabled_at'>> {
  if (enabled === undefined) return {};
  if (enabled) return { enabled, disabled_reason: null, disabled_at: null };
  return { enabled, disabled_reason: 'user', disabled_at: row.disabled_at ?? new Date().toISOString() };
}

function buildOutcome({ command, changes }: Plan): CommandOutcome {
  return {
    ok: true,
    changes,
    events: [],
    ...(changes.length > 0 ? { prompts: [{ queue: WEBHOOKS_QUEUE, id: command.entityId }] } : {}),
  };
}

/**
 * Marks endpoints as deleted. Their rows remain, because deliveries refer to them. Secrets and
 * header values are erased, because a thief could use them to send false deliveries to the
 * receiver.
 */
export async function deleteWebhookEndpoints(
  tx: Transaction,
  commands: Command<Record<string, never>>[],
): Promise<CommandOutcome[]> {
  const rows = await lockEndpoints(tx, commands.map(toRecordRef));
  const now = new Date().toISOString();
  const off = { enabled: false, deleted_at: now, headers_sealed: null, header_names: [] };
  const changes = [{ field: 'deleted_at', from: null, to: 'now' }];
  const merges = [...rows.values()].map((row) => {
    const { disabled_reason, disabled_at } = row;
    return {
      row,
      set: { ...off, disabled_reason: disabled_reason ?? 'user', disabled_at: disabled_at ?? now },
      changes,
    };
  });
  await storeEndpoints(tx, merges);
  await expireSecrets(
    tx,
    [...rows.values()].map(({ tenant_id, id }) => ({ tenant_id, id, hours: 0 })),
  );
  return commands.map((command) =>
    rows.has(refKey(toRecordRef(command)))
      ? { ok: true, changes, events: [], prompts: [{ queue: WEBHOOKS_QUEUE, id: command.entityId }] }
      : notFoundOutcome(ENDPOINT_LABEL),
  );
}
