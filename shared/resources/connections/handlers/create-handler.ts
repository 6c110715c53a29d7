import type { Command, CommandOutcome } from '../../../contracts/command.js';
import type { Transaction } from '../../../platform/postgres/database.js';
import { AccountQuota, type AccountQuotaRule } from '../../../records/account-quota.js';
import { diffNewRecord } from '../../../records/changes.js';
import { toRecordRef } from '../../../records/record-refs.js';
import { insertConnectionQueues } from '../../../sync/lease-connection-queues.js';
import { insertOAuthAttempts, type NewOAuthAttempt, storeSecrets } from '../../../sync/secret-rows.js';
import { DESCRIBE_STREAM, insertStreams } from '../../../sync/stream-rows.js';
import type { ConnectionCreation, SignInStart } from '../commands.js';
import { insertConnections, promptedOutcome } from '../connection-rows.js';
import { MAX_CONNECTIONS } from '../vocabulary.js';

const CONNECTION_QUOTA: AccountQuotaRule = {
  table: 'connections',
  countedRows: "t.status <> 'revoked'",
  maxRecords: MAX_CONNECTIONS,
  refusalMessage: `An account has ${MAX_CONNECTIONS} connections at most. Disconnect one that is no longer needed.`,
};

const SIGN_IN_MINUTES = 10;

/**
 * The interval at which the worker reads the vendor's description of the account. If the vendor
 * withdraws the service's access, the worker notices that within a day.
 */
const DESCRIBE_EVERY_SECONDS = 86_400;

type CreateCommand = Command<ConnectionCreation>;

/**
 * Creates connections. If the account entered keys, the worker reads the vendor's description
 * immediately. With OAuth, a person must first sign in at the vendor.
 */
export async function createConnections(
  tx: Transaction,
  commands: CreateCommand[],
): Promise<CommandOutcome[]> {
  const quota = await AccountQuota.load(tx, commands, CONNECTION_QUOTA);
  const refusals = commands.map(({ tenantId }) => quota.reserve(tenantId));
  const admitted = commands.filter((_command, index) => !refusals[index]);
  const refs = admitted.map(toRecordRef);
  if (admitted.length > 0) {
    await insertConnections(tx, admitted.map(buildRow));
    await Promise.all([
      insertConnectionQueues(tx, refs),
      insertStreams(tx, admitted.flatMap(buildStreams)),
      storeSecrets(tx, admitted.flatMap(buildSecret)),
      insertOAuthAttempts(tx, admitted.flatMap(buildAttempt)),
    ]);
  }
  return commands.map((command, index) => refusals[index] ?? buildOutcome(command));
}

function buildRow({ tenantId, entityId, environment, input }: CreateCommand) {
  const { vendor, kind, label = null, settings = {}, scopes, webhook_url } = input;
  return {
    tenant_id: tenantId,
    id: entityId,
    vendor,
    kind,
    label,
    status: 'pending',
    environment,
    settings,
    scopes,
    webhook_url,
  };
}

function buildStreams({ tenantId: tenant_id, entityId: connection_id, input }: CreateCommand) {
  const streams = Object.entries({ ...input.streams, [DESCRIBE_STREAM]: DESCRIBE_EVERY_SECONDS });
  return streams.map(([stream, every_seconds]) => ({
    tenant_id,
    connection_id,
    stream,
    every_seconds,
    // Without credentials, the description cannot be read yet. The other streams are due, but they
    // wait until the connection is active.
    is_due: stream !== DESCRIBE_STREAM || input.secrets_sealed !== undefined,
  }));
}

function buildSecret(command: CreateCommand) {
  const { secrets_sealed: sealed } = command.input;
  return sealed === undefined ? [] : [{ ...toRecordRef(command), sealed }];
}

export function buildAttempt({
  tenantId,
  entityId,
  input,
}: Command<{ sign_in?: SignInStart }>): NewOAuthAttempt[] {
  if (!input.sign_in) return [];
  const { url_sealed: _url, ...attempt } = input.sign_in;
  const expires_at = new Date(Date.now() + SIGN_IN_MINUTES * 60_000).toISOString();
  return [{ ...attempt, tenant_id: tenantId, connection_id: entityId, expires_at }];
}

function buildOutcome(command: CreateCommand): CommandOutcome {
  const { vendor, label, settings } = command.input;
  return {
    ...promptedOutcome(command),
    ok: true,
    changes: diffNewRecord({ vendor, label, settings }),
    events: [],
    responseExtra: { authorize_url: showSignIn(command) },
  };
}

/**
 * Returns the encrypted address of the vendor's sign-in page. Only one response shows the address,
 * and the API process decrypts it for that response. Returns null in a dry run, or if the
 * connection needs no sign-in.
 */
export function showSignIn({ dryRun, input }: Command<{ sign_in?: SignInStart }>): string | null {
  return dryRun ? null : (input.sign_in?.url_sealed ?? null);
}
