import type { Change, Command, Outcome } from '../../contracts/command.js';
import type { Config } from '../../platform/config.js';
import type { Transaction } from '../../platform/postgres.js';
import { changesOf } from '../changes.js';
import type { Merge } from '../merge-records.js';
import { missing, refKey, refOf } from '../sets.js';
import type { EndpointChange } from './commands.js';
import {
  ENDPOINT,
  type EndpointRow,
  findTroubled,
  lockEndpoints,
  resetLanes,
  storeEndpoints,
} from './endpoint-rows.js';
import { isSameHeaders, webhookHeadersKey } from './headers.js';
import { countSigning, dropKeyPairs, insertSecrets, retireSecrets } from './secret-rows.js';

type UpdateCommand = Command<EndpointChange>;

/** A change that can be made: what it does to the row, and what beside it. */
interface Plan extends Merge {
  command: UpdateCommand;
  /** Forgets failures and pauses: it is enabled, said to be so once more, or has moved. */
  startsAfresh: boolean;
  /** Whether it begins or ends signing with ed25519. */
  asymmetric: boolean | undefined;
}

/** JSON merge of endpoints. One that is enabled again starts like a new one. */
export async function updateWebhookEndpoints(
  tx: Transaction,
  commands: UpdateCommand[],
  config: Config,
): Promise<Outcome[]> {
  const rows = await lockEndpoints(tx, commands.map(refOf));
  const [signing, troubled] = await Promise.all([
    countSigning(tx, [...rows.values()]),
    findTroubled(tx, [...rows.values()]),
  ]);
  const headersKey = webhookHeadersKey(config.secretKey);
  const plans = commands.map((command) => {
    const row = rows.get(refKey(refOf(command)));
    const isTroubled = row !== undefined && troubled.has(refKey(row));
    return row && planOf(command, row, { headersKey, isTroubled, isAsymmetric: signing(row).v1a > 0 });
  });
  const made = plans.filter((plan) => plan !== undefined);
  await storeEndpoints(tx, made);
  await resetLanes(
    tx,
    made.filter(({ startsAfresh }) => startsAfresh).map(({ command }) => refOf(command)),
  );
  const pairs = made.filter(({ asymmetric }) => asymmetric === true);
  await insertSecrets(
    tx,
    pairs.map(({ command }) => ({ ref: refOf(command), pair: command.input.pair })),
  );
  const ended = made.filter(({ asymmetric }) => asymmetric === false);
  await dropKeyPairs(
    tx,
    ended.map(({ command }) => refOf(command)),
  );
  return plans.map((plan) => (plan ? outcomeOf(plan) : missing(ENDPOINT)));
}

function planOf(
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
  const { disabled_at, ...switched } = switchOf(row, enabled);
  const told = { ...facts, ...switched, ...(hasNewHeaders ? { header_names } : {}) };
  const turns = asymmetric !== undefined && asymmetric !== isAsymmetric;
  const moves = facts.url !== undefined && facts.url !== row.url;
  const forgets = isTroubled && row.enabled && (enabled === true || moves);
  const changes: Change[] = [
    ...changesOf(row, told),
    ...(forgets ? [{ field: 'failures', from: null, to: 'forgotten' }] : []),
    // Their names are told; that their values differ is all that may be said of those.
    ...(hasNewHeaders ? [{ field: 'headers', from: null, to: 'changed' }] : []),
    ...(turns ? [{ field: 'asymmetric', from: isAsymmetric, to: asymmetric }] : []),
  ];
  return {
    command,
    row,
    set: {
      ...told,
      ...(hasNewHeaders ? { headers_sealed } : {}),
      ...(disabled_at === undefined ? {} : { disabled_at }),
    },
    changes,
    startsAfresh: forgets || (enabled === true && !row.enabled),
    asymmetric: turns ? asymmetric : undefined,
  };
}

/** Somebody who says that an endpoint is to be off means it, whatever disabled it before: nothing will enable it again by itself. */
function switchOf(
  row: EndpointRow,
  enabled: boolean | undefined,
): Partial<Pick<EndpointRow, 'enabled' | 'disabled_reason' | 'disabled_at'>> {
  if (enabled === undefined) return {};
  if (enabled) return { enabled, disabled_reason: null, disabled_at: null };
  return { enabled, disabled_reason: 'user', disabled_at: row.disabled_at ?? new Date().toISOString() };
}

function outcomeOf({ command, changes }: Plan): Outcome {
  return {
    ok: true,
    changes,
    events: [],
    ...(changes.length > 0 ? { wokenEndpoints: [command.entityId] } : {}),
  };
}

/**
 * Ends endpoints. Their rows stay, for the deliveries that name them; what could be used to pose as them or as their receiver does not: secrets and header
 * values are gone.
 */
export async function deleteWebhookEndpoints(
  tx: Transaction,
  commands: Command<Record<string, never>>[],
): Promise<Outcome[]> {
  const rows = await lockEndpoints(tx, commands.map(refOf));
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
  await retireSecrets(
    tx,
    [...rows.values()].map(({ tenant_id, id }) => ({ tenant_id, id, hours: 0 })),
  );
  return commands.map((command) =>
    rows.has(refKey(refOf(command)))
      ? { ok: true, changes, events: [], wokenEndpoints: [command.entityId] }
      : missing(ENDPOINT),
  );
}
